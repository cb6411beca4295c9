package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// Waker is what the reconciler needs of the engine.
type Waker interface {
	StartSubscription(ctx context.Context, in contract.SubscriptionStart) error
	StartPayment(ctx context.Context, in contract.PaymentInput) error
	// AdvanceClock tells a test clock's workflow that there is a target to move to, and starts it where it does not run.
	AdvanceClock(ctx context.Context, ref contract.Ref) error
	// Wake signals a subscription's workflow under a name of contract's, and starts it where it does not run.
	Wake(ctx context.Context, ref contract.Ref, signal string, wake contract.Wake) error
	Check(ctx context.Context, owner contract.Owner, check contract.Check) error
}

// Reconciler is the safety net under every best-effort step: it compares PostgreSQL, which is the truth, with what
// should be under way, and starts or wakes what is missing.
type Reconciler struct {
	Store *db.Store
	Clock Clock
	Waker Waker
	// Report is told what a pass found, for metrics and the log.
	Report func(contract.ReconcileResult)
}

const (
	reconcileBatch  = 500
	reconcileAtOnce = 16
	grace           = 30 * time.Second // how long best effort has before the net catches
	overdue         = time.Minute
	claimable       = time.Hour          // how long a pass looks for a transaction that an unknown reference belongs to
	unclaimedLife   = 24 * time.Hour     // how long word of an unknown reference waits for a transaction that has it
	unansweredLife  = 7 * 24 * time.Hour // how long word of a closed transaction waits for the provider to answer for it
	callbackLife    = 90 * 24 * time.Hour
	idempotencyLife = 48 * time.Hour
	purgeBatch      = 5_000
)

// Reconcile makes one pass. More tells that a batch was full, so that the workflow calls again at once.
func (a *Reconciler) Reconcile(ctx context.Context) (contract.ReconcileResult, error) {
	epoch, err := a.Store.Epoch(ctx)
	if err != nil {
		return contract.ReconcileResult{}, err
	}
	pass := &pass{Reconciler: a, epoch: epoch, now: a.Clock()}
	for _, step := range []func(context.Context) error{
		pass.subscriptions, pass.payments, pass.clocks, pass.wakes, pass.checks, pass.late, pass.callbacks, pass.purge,
	} {
		if err := step(ctx); err != nil {
			return pass.found, err
		}
		heartbeat(ctx)
	}
	if a.Report != nil {
		a.Report(pass.found)
	}
	return pass.found, nil
}

// heartbeat is for activities only; tests call Reconcile directly.
func heartbeat(ctx context.Context) {
	if activity.IsActivity(ctx) {
		activity.RecordHeartbeat(ctx)
	}
}

type pass struct {
	*Reconciler
	epoch int64
	now   time.Time
	found contract.ReconcileResult
}

// each does one thing for every item, a few at a time, and answers those it worked for. One failure does not stop the
// others: what fails is found again by the next pass.
func each[T any](ctx context.Context, items []T, do func(context.Context, T) error) []T {
	done := make([]bool, len(items))
	var group errgroup.Group
	group.SetLimit(reconcileAtOnce)
	for i, item := range items {
		group.Go(func() error {
			err := do(ctx, item)
			if done[i] = err == nil; !done[i] && activity.IsActivity(ctx) {
				activity.GetLogger(ctx).Warn("left to the next pass", "item", item, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait()
	var worked []T
	for i, item := range items {
		if done[i] {
			worked = append(worked, item)
		}
	}
	return worked
}

func (p *pass) subscriptions(ctx context.Context) error {
	refs, err := p.Store.UnstartedSubscriptions(ctx, p.epoch, reconcileBatch)
	if err != nil {
		return err
	}
	started := each(ctx, refs, func(ctx context.Context, r db.Ref) error {
		defer failpoint.Hit(failpoint.ReconcileStarted)
		return p.Waker.StartSubscription(ctx, contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref(r)}})
	})
	p.count(refs, started)
	return p.noteStarted(ctx, db.StartedSubscriptions, started)
}

func (p *pass) payments(ctx context.Context) error {
	refs, err := p.Store.UnstartedTransactions(ctx, p.epoch, reconcileBatch)
	if err != nil {
		return err
	}
	started := each(ctx, refs, func(ctx context.Context, r db.Ref) error {
		return p.Waker.StartPayment(ctx, contract.PaymentInput{Ref: ref(r)})
	})
	p.count(refs, started)
	return p.noteStarted(ctx, db.StartedTransactions, started)
}

// noteStarted keeps what was started from being found by the next pass.
func (p *pass) noteStarted(ctx context.Context, table db.StartedTable, started []db.Ref) error {
	if len(started) == 0 {
		return nil
	}
	return p.Store.InTx(ctx, workflowOf(ctx), p.now, func(tx *db.Tx) error { return tx.SetStarted(ctx, table, p.epoch, started) })
}

// count notes what was started, and that there is more where a batch was full. Only starts go on at once, since each is
// noted in its row; a signal leaves the row as it is until a worker has acted, so that asking again would only repeat it.
func (p *pass) count(found, started []db.Ref) {
	p.found.Started += len(started)
	if len(found) == reconcileBatch && len(started) > 0 {
		p.found.More = true
	}
}

func (p *pass) clocks(ctx context.Context) error {
	refs, err := p.Store.BusyClocks(ctx, reconcileBatch)
	if err != nil {
		return err
	}
	each(ctx, refs, func(ctx context.Context, r db.Ref) error {
		return p.Waker.AdvanceClock(ctx, ref(r))
	})
	return nil
}

func (p *pass) wakes(ctx context.Context) error {
	refs, err := p.Store.WakePendingBefore(ctx, p.now.Add(-grace), reconcileBatch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, refs, p.wake))
	return nil
}

func (p *pass) wake(ctx context.Context, r db.Ref) error {
	return p.Waker.Wake(ctx, ref(r), contract.SignalWake, contract.Wake{By: "system"})
}

func (p *pass) callbacks(ctx context.Context) error {
	err := p.Store.InTx(ctx, workflowOf(ctx), p.now, func(tx *db.Tx) error {
		if err := tx.ClaimCallbacks(ctx, p.now.Add(-claimable)); err != nil {
			return err
		}
		given, err := tx.GiveUpCallbacks(ctx, p.now.Add(-unclaimedLife), p.now.Add(-unansweredLife), purgeBatch)
		p.found.Unclaimed, p.found.Unanswered = given.Unclaimed, given.Unanswered
		return err
	})
	if err != nil {
		return err
	}
	refs, err := p.Store.OpenCallbacksBefore(ctx, p.now.Add(-grace), reconcileBatch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, refs, p.check))
	return nil
}

func (p *pass) checks(ctx context.Context) error {
	refs, err := p.Store.OverdueChecks(ctx, p.now.Add(-overdue), reconcileBatch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, refs, p.check))
	return nil
}

// check asks the owner of a transaction: the subscription's workflow while it lives, else the transaction's own.
func (p *pass) check(ctx context.Context, r db.TransactionRef) error {
	owner := contract.Owner{EnvironmentID: r.EnvironmentID, TransactionID: r.ID, SubscriptionID: r.SubscriptionID}
	return p.Waker.Check(ctx, owner, contract.Check{TransactionID: r.ID})
}

func (p *pass) late(ctx context.Context) error {
	late, err := p.Store.LateSubscriptions(ctx, p.now.Add(-overdue), reconcileBatch)
	if err != nil {
		return err
	}
	p.found.Late = len(late)
	p.found.Signalled += len(each(ctx, late, p.wake))
	return nil
}

func (p *pass) purge(ctx context.Context) error {
	return p.Store.InTx(ctx, workflowOf(ctx), p.now, func(tx *db.Tx) error {
		keys, err := tx.PurgeIdempotencyKeys(ctx, p.now.Add(-idempotencyLife), purgeBatch)
		if err != nil {
			return err
		}
		callbacks, err := tx.PurgeCallbacks(ctx, p.now.Add(-callbackLife), purgeBatch)
		p.found.Purged = keys + callbacks
		return err
	})
}

func ref(r db.Ref) contract.Ref { return contract.Ref{EnvironmentID: r.EnvironmentID, ID: r.ID} }
