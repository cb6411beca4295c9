package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"perennial/activities"
	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
	"perennial/cmd/perennial/wire"
	"perennial/db"
	"perennial/internal/config"
	"perennial/internal/failpoint"
	"perennial/internal/telemetry"
	"perennial/internal/vault"
	"perennial/providers/all"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/service/gateway"
	"perennial/worker"
)

// flushBudget is how long the last metrics and traces may take to leave.
const flushBudget = 5 * time.Second

// plan is what one process shall do.
type plan struct {
	name        string // of the service, in logs and traces
	api, worker bool
	makeCurrent bool // the worker makes its build the one that Temporal gives new work to
	logs        io.Writer
}

// server is a running process: API, worker or both. Make it with startService, end it with stop. The fields are set as
// the start goes on, and stop looks at each: it also ends a start that failed half-way.
type server struct {
	config     config.Config
	telemetry  *telemetry.Telemetry
	temporal   client.Client
	gateway    *gateway.Gateway
	vault      *vault.Vault
	needs      []httpkit.Requirement // before the process takes work
	health     *httpkit.Health       // set once all needs are known
	operations *listener
	api        *apiPart
	worker     *workerPart
	closers    []func() // in the order of opening
	failed     chan error
}

// startService wires everything, in the order in which it depends on each other, and returns when the API listens.
func startService(ctx context.Context, p *cli.Process, c config.Config, do plan) (_ *server, err error) {
	if err := failpoint.Enable(p.Lookup); err != nil {
		return nil, err
	}
	s := &server{config: c, failed: make(chan error, 4)}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.stop(ctx))
		}
	}()
	if s.telemetry, err = telemetry.Start(ctx, telemetry.Options{
		Service: do.name, BuildID: c.BuildID, LogLevel: c.Telemetry.LogLevel, LogOutput: do.logs,
		OTLPEndpoint: c.Telemetry.OTLPEndpoint, Now: p.Now,
	}); err != nil {
		return s, err
	}
	// Before Temporal and the pools: the usual mistake of a deployment is a forgotten migration,
	// and this says so first.
	if err = checkSchema(ctx, c.Database.URL.Reveal()); err != nil {
		return s, err
	}
	if s.temporal, err = wire.Temporal(c.Temporal, s.telemetry); err != nil {
		return s, err
	}
	s.closers = append(s.closers, s.temporal.Close)
	keys, err := vault.New(c.KEK.Reveal())
	if err != nil {
		return s, err
	}
	s.vault = keys
	if err = s.checkKeysets(ctx, p, keys); err != nil {
		return s, err
	}
	s.gateway = wire.GatewayOf(c, keys)
	if do.worker {
		if s.worker, err = s.newWorker(ctx, p, do); err != nil {
			return s, err
		}
	}
	if do.api {
		if s.api, err = s.startAPI(ctx, p); err != nil {
			return s, err
		}
	}
	s.health = httpkit.NewHealth(s.telemetry.Logger, s.needs...)
	if s.operations, err = listen(ctx, c.HTTP.MetricsAddress, operations(s.telemetry.Metrics(), s.health)); err != nil {
		return s, fmt.Errorf("METRICS_ADDRESS: %w", err)
	}
	if s.worker != nil {
		s.worker.begin() // last: whoever sees work done finds all of the process there
	}
	s.telemetry.Logger.Info("started",
		zap.Bool("api", do.api), zap.Bool("worker", do.worker), zap.String("metrics", s.metricsURL()))
	return s, nil
}

// url is where the API listens, for people on this machine.
func (s *server) url() string { return s.api.url }

// metricsURL is where what machines ask is served.
func (s *server) metricsURL() string { return s.operations.url() }

// wait blocks until somebody asks the process to end, or a part of it broke.
func (s *server) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.failed:
		return err
	}
}

// stop drains: first it says that it wants no more work, then the API finishes its requests while the worker still
// serves their commands, then the worker finishes its activities, and at last the logs and metrics leave.
func (s *server) stop(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if s.health != nil {
		s.health.Drain()
	}
	var errs []error
	if s.api != nil {
		errs = append(errs, s.api.stop(ctx, s.config.HTTP.DrainDelay+s.config.HTTP.DrainTimeout))
	}
	if s.worker != nil {
		errs = append(errs, s.worker.stop())
	}
	if s.operations != nil {
		errs = append(errs, s.operations.stop(ctx, time.Second))
	}
	// The last opened is closed first: what was opened later works with what was there.
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	if s.telemetry != nil {
		s.telemetry.Logger.Info("stopped")
		ctx, cancel := context.WithTimeout(ctx, flushBudget)
		defer cancel()
		errs = append(errs, s.telemetry.Close(ctx))
	}
	return errors.Join(errs...)
}

// openStore opens one of the pools. Each kind of work has its own, so that none can starve another. The name shows in
// pg_stat_activity, so that an operator sees which kind of work holds connections.
func (s *server) openStore(ctx context.Context, p *cli.Process, name string, connections int) (*db.Store, error) {
	store, err := db.Open(ctx, db.Config{
		URL: s.config.Database.URL.Reveal(), MaxConns: int32(connections), Clock: p.Now, Limits: gateway.Limits,
		ApplicationName: "perennial " + name,
	})
	if err != nil {
		return nil, err
	}
	s.closers = append(s.closers, store.Close)
	return store, nil
}

// dispatching is a store whose transactions have what follows their commits done.
func (s *server) dispatching(p *cli.Process, store *db.Store) *db.Store {
	d := dispatch.New(dispatch.Config{Store: store, Engine: engine.New(s.temporal), Now: p.Now, Log: s.telemetry.Logger})
	s.closers = append(s.closers, d.Close) // before the store, which was opened earlier
	return store.With(d)
}

// checkSchema refuses to run on a database that lacks tables this program needs. A newer one is fine: migrations expand
// before they contract, so that the old program runs during a deployment.
func checkSchema(ctx context.Context, url string) error {
	current, wanted, err := db.SchemaVersion(ctx, url)
	if err != nil {
		return err
	}
	if current < wanted {
		return fmt.Errorf("the database has schema version %d and this program needs %d: run `perennial migrate` first",
			current, wanted)
	}
	return nil
}

// workerPart is the worker inside a process.
type workerPart struct {
	begin  func() // to poll in the background; nil once it does
	cancel context.CancelFunc
	ready  chan struct{} // closed when it polls
	done   chan struct{}
	err    error // set before done is closed
}

// newWorker makes the worker. The process is not ready before it polls, and while no build gets work.
func (s *server) newWorker(ctx context.Context, p *cli.Process, do plan) (*workerPart, error) {
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
	w, err := worker.New(worker.Config{
		Client: s.temporal, Logger: s.telemetry.Logger, Namespace: c.Temporal.Namespace,
		Activities: activities.New(activities.Config{
			Store: s.dispatching(p, store), Clock: p.Now, Gateway: s.gateway, Engine: engine.New(s.temporal),
			Factories: all.Registry, AccountSlots: c.Worker.AccountSlots,
			ProviderSlots: max(1, c.Worker.ActivitySlots*3/4), // all accounts of a provider hang at once
			Observer:      watch, Reconciled: watch.reconciled, AbsenceGap: c.Worker.AbsenceGap,
			ReconcileRate: c.Worker.ReconcileRate, Deliveries: deliveries,
			PublicURL: c.HTTP.PublicURL, ConfirmWithin: c.Worker.ConfirmWithin,
		}),
		Deployment: c.Deployment, BuildID: c.BuildID, MakeCurrent: do.makeCurrent || c.Worker.MakeCurrent,
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
			// Nobody asked it to end: the whole process ends,
			// since one without its worker would look healthy and bill nothing.
			if ctx.Err() == nil {
				s.failed <- fmt.Errorf("the worker ended: %w", part.err)
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
