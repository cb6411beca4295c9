package serve

import (
	"context"
	"fmt"

	"perennial/activities"
	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/providers/all"
	"perennial/service/engine"
	"perennial/worker"
)

// workerPart is the worker inside a process.
type workerPart struct {
	begin  func() // to poll in the background; nil once it does
	cancel context.CancelFunc
	ready  chan struct{} // closed when it polls
	done   chan struct{}
	err    error // set before done is closed
}

// newWorker makes the worker. The process is not ready before it polls, and while no build gets work.
func (s *Server) newWorker(ctx context.Context, p *cli.Process, do Plan) (*workerPart, error) {
	c := s.config
	store, err := s.openStore(ctx, p, "activities", c.Database.PoolActivities)
	if err != nil {
		return nil, err
	}
	watch := newObserver(s.telemetry, p.Now)
	deliveries, err := s.deliveries(ctx, p, watch)
	if err != nil {
		return nil, err
	}
	mails, err := s.mails(p, store)
	if err != nil {
		return nil, err
	}
	w, err := worker.New(worker.Config{
		Client: s.Temporal, Logger: s.telemetry.Logger, Namespace: c.Temporal.Namespace,
		Activities: activities.New(activities.Config{
			Store: s.dispatching(p, store), Clock: p.Now, Gateway: s.gateway, Engine: engine.New(s.Temporal),
			Factories: all.Registry, AccountSlots: c.Worker.AccountSlots,
			ProviderSlots: max(1, c.Worker.ActivitySlots*3/4), // all accounts of a provider hang at once
			Observer:      watch, Reconciled: watch.reconciled, AbsenceGap: c.Worker.AbsenceGap,
			ReconcileRate: c.Worker.ReconcileRate, Deliveries: deliveries, Mails: mails,
			PublicURL: c.HTTP.PublicURL, ConfirmWithin: c.Worker.ConfirmWithin,
		}),
		Deployment: c.Deployment, BuildID: c.BuildID, MakeCurrent: do.MakeCurrent || c.Worker.MakeCurrent,
		ActivitySlots: c.Worker.ActivitySlots, LocalActivitySlots: c.Worker.LocalActivitySlots,
		WorkflowSlots: c.Worker.WorkflowSlots, WebhookSlots: c.Webhooks.Slots,
		CachedWorkflows: c.Worker.CachedWorkflows, Pollers: c.Worker.Pollers, DrainTimeout: c.Worker.DrainTimeout,
		ReconcileEvery: c.Worker.ReconcileEvery, BootstrapEvery: c.Worker.BootstrapEvery, Now: p.Now,
	})
	if err != nil {
		return nil, err
	}
	// Its own context: it ends after the API, not with the signal.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	part := &workerPart{cancel: cancel, ready: make(chan struct{}), done: make(chan struct{})}
	part.begin = func() {
		part.begin = nil
		go func() {
			part.err = w.Run(ctx, func() { close(part.ready) })
			// The worker ended without being asked to: the whole process ends, since one without its worker would look
			// healthy and bill nothing.
			if ctx.Err() == nil {
				s.Failed <- fmt.Errorf("the worker ended: %w", part.err)
			}
			close(part.done)
		}()
	}
	s.needs = append(s.needs,
		httpkit.Requirement{Check: func(context.Context) error { return part.polls() }, Absent: errNotPolling},
		httpkit.Requirement{Check: func(context.Context) error { return w.Ready() }, Absent: errNotDispatched})
	if err := s.watchDispatch(w); err != nil {
		return part, err
	}
	return part, nil
}

var errNotPolling = fault.New(fault.Unavailable, "worker_not_polling", "The worker does not poll Temporal yet.")

var errNotDispatched = fault.New(fault.Unavailable, "work_not_dispatched",
	"Temporal dispatches new work to a build that no worker runs.")

func (w *workerPart) polls() error {
	select {
	case <-w.ready:
		return nil
	default:
		return errNotPolling
	}
}

func (w *workerPart) stop() error {
	w.cancel()
	if w.begin != nil {
		return nil // the start failed before it polled
	}
	<-w.done
	return w.err
}
