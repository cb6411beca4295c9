// Package dispatch performs the effects of committed transactions: it starts workflows, signals them, and marks the
// rows of started ones. Every effect is best effort and bounded in time, since the reconciler performs missing ones; no
// caller waits for it. It does not own the client of Temporal (contract.Engine).
package dispatch

import (
	"cmp"
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/internal/telemetry"
)

// Config has the dependencies of a dispatcher.
type Config struct {
	Store  *db.Store // for the marks of started workflows
	Engine contract.Engine
	Now    func() time.Time // the real clock
	Log    *zap.Logger
	// Patience is the time that one effect may take; zero: 15 s.
	Patience time.Duration
	// AtOnce is the number of effects that this process performs at the same time; zero: 8.
	AtOnce int
}

// Dispatcher is a db.Dispatcher. Close it before the store.
type Dispatcher struct {
	engine  contract.Engine
	started *started
	queue   *queue
	log     *zap.Logger
}

// New makes a dispatcher and starts what performs the effects, and the batcher that marks started workflows.
func New(c Config) *Dispatcher {
	d := &Dispatcher{engine: c.Engine, started: newStarted(c.Store, c.Now, c.Log), log: c.Log}
	d.queue = newQueue(cmp.Or(c.AtOnce, atOnce), cmp.Or(c.Patience, patience), d.dispatch)
	go d.started.run()
	return d
}

// Close performs waiting effects, for some seconds at most, and writes the open marks of started workflows. Later
// effects are left to the reconciler.
func (d *Dispatcher) Close() {
	d.queue.close()
	d.started.close()
}

// Dispatch has the effects performed soon. It does not wait for them: the caller has the answer about the commit
// already, and Temporal may be slow or away.
func (d *Dispatcher) Dispatch(ctx context.Context, by db.Actor, effects []db.Effect) {
	ctx = context.WithoutCancel(ctx)
	for i, effect := range effects {
		if err := d.queue.add(job{ctx, by, effect}); err != nil {
			telemetry.For(ctx, d.log).Warn("left to the reconciler", zap.Int("effects", len(effects)-i), zap.Error(err))
			return
		}
	}
}

func (d *Dispatcher) dispatch(ctx context.Context, by db.Actor, effect db.Effect) {
	defer func() {
		if cause := recover(); cause != nil { // one effect must not take the process with it
			telemetry.For(ctx, d.log).Error("panic while following a commit; it is left to the reconciler",
				zap.Any("cause", cause), zap.Stack("stack"))
		}
	}()
	switch e := effect.(type) {
	case db.StartSubscription:
		failpoint.Hit(failpoint.CreateCommitted)
		ref := db.Ref{EnvironmentID: e.EnvironmentID, ID: e.Subscription.ID}
		d.start(ctx, db.StartedSubscriptions, ref, func() error { return d.engine.StartSubscription(ctx, firstRun(e)) })
	case db.StartPayment:
		d.start(ctx, db.StartedTransactions, db.Ref(e), func() error {
			return d.engine.StartPayment(ctx, contract.PaymentInput{Ref: contract.Ref(e)})
		})
	case db.StartErasure:
		ref := db.Ref{EnvironmentID: e.EnvironmentID, ID: e.ID}
		d.start(ctx, db.StartedErasures, ref, func() error {
			return d.engine.StartErasure(ctx, contract.ErasureInput{Ref: contract.Ref(ref), CustomerID: e.CustomerID})
		})
	case db.AdvanceTestClock:
		d.note(ctx, "advance", e.ID, d.engine.AdvanceClock(ctx, contract.Ref(e)))
	case db.WakeEndpoint:
		failpoint.Hit(failpoint.DeliveryOwed)
		d.note(ctx, "wake", e.ID, d.engine.WakeEndpoint(ctx, contract.Ref(e)))
	case db.WakeSender:
		d.note(ctx, "wake", e.ID, d.engine.WakeSender(ctx, contract.Ref(e)))
	case db.SignalSubscription:
		failpoint.Hit(failpoint.CommandCommitted)
		ref, signal := contract.Ref{EnvironmentID: e.EnvironmentID, ID: e.ID}, cmp.Or(e.Why, contract.SignalWake)
		d.note(ctx, signal, e.ID, d.engine.Wake(ctx, ref, signal, WakeOf(by, e)))
	case db.CheckTransaction:
		failpoint.Hit(failpoint.CallbackStored)
		owner := contract.Owner{EnvironmentID: e.EnvironmentID, TransactionID: e.ID, SubscriptionID: e.SubscriptionID}
		d.note(ctx, "check", e.ID, d.engine.Check(ctx, owner, contract.Check{TransactionID: e.ID}))
		failpoint.Hit(failpoint.CallbackSignalled)
	default:
		d.log.Error("unknown effect", zap.Any("effect", effect))
	}
}

// WakeOf is the payload of a signal to a subscription's workflow.
func WakeOf(by db.Actor, e db.SignalSubscription) contract.Wake {
	wake := contract.Wake{By: string(by.Kind()), Actor: by.ID(), Revision: e.Revision}
	if e.Told != nil {
		told := contract.SnapshotOf(*e.Told, false)
		wake.Snapshot = &told
	}
	return wake
}

// start starts a workflow and marks its row, so that the reconciler leaves it alone.
func (d *Dispatcher) start(ctx context.Context, table db.StartedTable, ref db.Ref, start func() error) {
	epoch := d.started.epoch()
	err := start()
	if err == nil {
		d.started.add(table, epoch, ref)
	}
	d.note(ctx, "start", ref.ID, err)
}

// note logs an effect that is left to the reconciler.
func (d *Dispatcher) note(ctx context.Context, what, workflowID string, err error) {
	if err != nil {
		telemetry.For(ctx, d.log).Warn("left to the reconciler",
			zap.String("what", what), telemetry.WorkflowID(workflowID), zap.Error(err))
	}
}

// firstRun has a snapshot with it, which spares the new workflow a look at the row.
func firstRun(e db.StartSubscription) contract.SubscriptionStart {
	in := StartOf(e.EnvironmentID, e.Subscription)
	first := contract.SnapshotOf(lifecycle.State{Subscription: e.Subscription}, false)
	if e.Subscription.TestClockID != "" {
		first.ClockNow = e.Subscription.CreatedAt
	}
	in.Input.Snapshot = &first
	return in
}

// StartOf returns the input of a subscription's workflow, with the attributes that operators search it by.
func StartOf(environmentID string, s subscription.Subscription) contract.SubscriptionStart {
	return contract.SubscriptionStart{
		Input:      contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: environmentID, ID: s.ID}},
		CustomerID: s.CustomerID, PlanID: s.PlanID, Status: string(s.Status), NextAction: string(s.NextAction),
	}
}
