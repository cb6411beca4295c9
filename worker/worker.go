// Package worker owns the process side of Temporal: which task queues are polled by what, versions, interceptors,
// draining, and the bootstrap that makes a fresh or lost Temporal usable. It does not own what runs (workflows,
// activities).
package worker

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"

	"perennial/activities"
	"perennial/contract"
	"perennial/workflows"
)

// Config is everything a worker process needs.
type Config struct {
	Client     client.Client
	Activities activities.Set
	Logger     *zap.Logger

	// Deployment and BuildID switch worker versioning on; empty: unversioned, as in tests.
	Deployment string
	BuildID    string
	// MakeCurrent sets this build as the current version once its pollers appear, in place of another: dev and compose
	// do, a deployment with its own rollout does not. Where there is no decision yet, the first build makes itself
	// current in any case.
	MakeCurrent bool

	Namespace          string
	ActivitySlots      int // per task queue; 0: 32
	LocalActivitySlots int // 0: 32
	WorkflowSlots      int // 0: 64
	CachedWorkflows    int // 0: 1,000
	WebhookSlots       int // endpoints delivered to at a time; 0: 256. As many as a quarter of them for slow receivers
	Pollers            int // per kind and queue; 0: 4
	DrainTimeout       time.Duration
	ReconcileEvery     time.Duration // 0: 30 s
	BootstrapEvery     time.Duration // 0: 15 s
	// Now is the real clock. Required with a BuildID: it measures the age of other builds' pollers.
	Now func() time.Time
}

// stickyPatience is how long a workflow task waits for the worker that keeps its run in memory, before any worker may
// take it and replay the whole run. With the engine's 5 s, a wave of some hundred renewals that takes a moment longer
// replays the rest of itself, which doubles its time. The price: after a crash, the last tasks for the dead process
// wait this long. Commands do not: they are answered without Temporal.
const stickyPatience = 20 * time.Second

// Worker is one process's part of the work.
type Worker struct {
	config Config

	id    string           // of this run of this process, in the roster
	now   func() time.Time // the real clock
	watch watch

	made    bool   // MakeCurrent is done: it is asked for once, not again after each loss of Temporal
	current string // the build that was current when we last looked; it outlives Temporal's memory
}

// New checks the configuration and fills in the defaults. It also sets how many workflows the process keeps in memory:
// the SDK counts them over all workers of a process, and takes the number that is set when the first one begins to run.
func New(c Config) (*Worker, error) {
	if c.Client == nil || c.Activities.Subscriptions == nil || c.Namespace == "" {
		return nil, errors.New("worker: Client, Activities and Namespace are required")
	}
	if c.BuildID != "" && c.Now == nil {
		return nil, errors.New("worker: Now is required with a BuildID")
	}
	if c.Logger == nil {
		c.Logger = zap.NewNop()
	}
	for value, standard := range map[*int]int{
		&c.ActivitySlots: 32, &c.LocalActivitySlots: 32, &c.WorkflowSlots: 64, &c.CachedWorkflows: 1000, &c.Pollers: 4,
		&c.WebhookSlots: 256,
	} {
		if *value == 0 {
			*value = standard
		}
	}
	for value, standard := range map[*time.Duration]time.Duration{
		&c.DrainTimeout: 30 * time.Second, &c.ReconcileEvery: 30 * time.Second, &c.BootstrapEvery: 15 * time.Second,
	} {
		if *value == 0 {
			*value = standard
		}
	}
	worker.SetStickyWorkflowCacheSize(c.CachedWorkflows)
	return &Worker{config: c, id: rand.Text(), now: c.Now}, nil
}

// Run works until ctx ends, then drains: it takes nothing new and finishes its work in progress. That is no error. When
// Temporal forgets the namespace under a running worker (its database was lost), the pollers end; Run then bootstraps
// again and continues.
func (w *Worker) Run(ctx context.Context, ready func()) error {
	for first := true; ; first = false {
		if !w.bootstrapUntilDone(ctx) {
			return nil
		}
		fatal := make(chan error, 4)
		queues, err := w.start(fatal)
		if err != nil {
			return err
		}
		loop, stopLoop := context.WithCancel(ctx)
		looped := make(chan struct{})
		go func() {
			defer close(looped)
			var both sync.WaitGroup
			both.Go(func() { w.attend(loop) })
			both.Go(func() { w.keepUp(loop) })
			both.Wait()
		}()
		if first && ready != nil {
			ready()
		}
		select {
		case <-ctx.Done():
		case err = <-fatal:
			w.config.Logger.Error("the pollers ended; restarting them", zap.Error(err))
		}
		stopLoop()
		<-looped
		for _, q := range queues {
			q.Stop()
		}
		if d := w.config.Activities.Deliveries; d != nil {
			d.Drain()
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // a worker that is asked to stop ends without an error
		}
		pause(ctx, time.Second)
	}
}

// start registers everything on the task queues and begins to poll.
func (w *Worker) start(fatal chan<- error) ([]worker.Worker, error) {
	c := w.config
	billing := worker.New(c.Client, contract.QueueBilling, w.options(fatal))
	for name, definition := range map[string]any{
		contract.SubscriptionWorkflow: workflows.Subscription,
		contract.PaymentWorkflow:      workflows.Payment,
		contract.TestClockWorkflow:    workflows.TestClock,
		contract.ReconcilerWorkflow:   workflows.Reconciler,
		contract.ErasureWorkflow:      workflows.Erasure,

		contract.WebhookEndpointWorkflow: workflows.WebhookEndpoint,
		contract.EmailSenderWorkflow:     workflows.EmailSender,
	} {
		billing.RegisterWorkflowWithOptions(definition, workflow.RegisterOptions{
			Name: name, VersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
		})
	}
	for name, body := range map[string]any{
		contract.ActivityAdvance:    c.Activities.Subscriptions.Advance,
		contract.ActivityBillUsage:  c.Activities.Usage.BillUsage,
		contract.ActivityStepClock:  c.Activities.Clocks.StepClock,
		contract.ActivityReconcile:  c.Activities.Reconciler.Reconcile,
		contract.ActivityEraseBatch: c.Activities.Erasures.EraseBatch,
	} {
		billing.RegisterActivityWithOptions(body, activity.RegisterOptions{Name: name})
	}

	options := w.options(fatal)
	options.DisableWorkflowWorker = true
	payments := worker.New(c.Client, contract.QueuePayments, options)
	payments.RegisterActivityWithOptions(c.Activities.Payments.Charge,
		activity.RegisterOptions{Name: contract.ActivityCharge})

	queues := append([]worker.Worker{billing, payments}, w.webhooks(fatal)...)
	queues = append(queues, w.emails(fatal)...)
	for i, q := range queues {
		if err := q.Start(); err != nil {
			for _, started := range queues[:i] {
				started.Stop()
			}
			return nil, err
		}
	}
	return queues, nil
}

// webhooks polls the two lanes of deliveries. A slot is cheap, since an activity mostly waits for a receiver; a
// separate pool bounds its use of the database.
func (w *Worker) webhooks(fatal chan<- error) []worker.Worker {
	if w.config.Activities.Deliveries == nil {
		return nil
	}
	var lanes []worker.Worker
	for _, lane := range []struct {
		queue string
		slots int
	}{
		{contract.QueueWebhooks, w.config.WebhookSlots}, {contract.QueueWebhooksSlow, max(1, w.config.WebhookSlots/4)},
	} {
		options := w.options(fatal)
		options.DisableWorkflowWorker = true
		options.MaxConcurrentActivityExecutionSize = lane.slots
		q := worker.New(w.config.Client, lane.queue, options)
		q.RegisterActivityWithOptions(w.config.Activities.Deliveries.DeliverDue, activity.RegisterOptions{
			Name: contract.ActivityDeliverDue,
		})
		lanes = append(lanes, q)
	}
	return lanes
}

// emails polls for senders of mail. An activity mostly waits for a mail server.
func (w *Worker) emails(fatal chan<- error) []worker.Worker {
	if w.config.Activities.Mails == nil {
		return nil
	}
	options := w.options(fatal)
	options.DisableWorkflowWorker = true
	q := worker.New(w.config.Client, contract.QueueEmails, options)
	q.RegisterActivityWithOptions(w.config.Activities.Mails.SendDue,
		activity.RegisterOptions{Name: contract.ActivitySendDue})
	return []worker.Worker{q}
}

func (w *Worker) options(fatal chan<- error) worker.Options {
	c := w.config
	options := worker.Options{
		MaxConcurrentActivityExecutionSize:      c.ActivitySlots,
		MaxConcurrentLocalActivityExecutionSize: c.LocalActivitySlots,
		MaxConcurrentWorkflowTaskExecutionSize:  c.WorkflowSlots,
		MaxConcurrentWorkflowTaskPollers:        c.Pollers,
		MaxConcurrentActivityTaskPollers:        c.Pollers,
		StickyScheduleToStartTimeout:            stickyPatience,
		WorkerStopTimeout:                       c.DrainTimeout,
		MaxHeartbeatThrottleInterval:            beatThrottle,
		Interceptors: []interceptor.WorkerInterceptor{
			&heartbeatInterceptor{}, &faultInterceptor{logger: c.Logger},
		},
		OnFatalError: func(err error) {
			select {
			case fatal <- err:
			default:
			}
		},
	}
	if c.BuildID != "" {
		options.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning: true,
			Version:       worker.WorkerDeploymentVersion{DeploymentName: c.Deployment, BuildID: c.BuildID},
		}
	}
	return options
}
