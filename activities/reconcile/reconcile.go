// Package reconcile is the safety net under every best-effort step. It starts and wakes the workflows that the rows
// call for, and removes rows whose time of retention is over.
package reconcile

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"perennial/activities/execution"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// Waker is the part of the engine that the reconciler needs.
type Waker interface {
	contract.Engine
	// Attended reports whether a worker has taken up what a workflow was last started or woken for.
	Attended(ctx context.Context, workflowID string) (bool, error)
}

// Reconciler is the safety net under every best-effort step: it compares PostgreSQL, which is the truth, with the
// running workflows, and starts or wakes those that are missing.
type Reconciler struct {
	Store *db.Store
	Clock execution.Clock
	Waker Waker
	// Report receives what a pass found, for metrics and the log.
	Report func(contract.ReconcileResult)
	// Rate is the number of workflows that are started or woken in a second, so that a restart of everything leaves
	// Temporal and the workers to commands and renewals; 0: as many as go.
	Rate int
	// RemoveMethod asks the provider to remove a payment method that is removed here; nil: none is.
	RemoveMethod func(ctx context.Context, ref db.Ref) error

	pace  pace
	stuck stuck
}

const (
	reconcileBatch  = 500
	reconcileAtOnce = 16
	// listTime is the part of a pass that one list may take at the given rate: all lists together stay below the time
	// of the activity, so that each has its share of every pass.
	listTime        = 10
	attendedPause   = 20 * time.Millisecond
	attendedLongest = 4 * time.Second // pauses double up to it: 5 s in all
	// noteEvery is the number of starts that are noted together: those that a killed worker has not noted are started
	// again. At most as many wait for workers at a time.
	noteEvery       = 25
	grace           = 30 * time.Second // how long best effort has before the net catches
	overdue         = time.Minute
	claimable       = time.Hour          // how long a pass looks for a transaction that an unknown reference belongs to
	unclaimedLife   = 24 * time.Hour     // how long a callback with an unknown reference waits for its transaction
	unansweredLife  = 7 * 24 * time.Hour // how long a callback about a closed transaction waits for the provider
	callbackLife    = 90 * 24 * time.Hour
	idempotencyLife = 48 * time.Hour
	purgeBatch      = 5_000
	lostNamed       = 10 // how many callbacks about lost transactions a pass names
)

// Reconcile makes one pass. More tells that a batch was full, so that the workflow calls again at once.
func (a *Reconciler) Reconcile(ctx context.Context) (contract.ReconcileResult, error) {
	epoch, err := a.Store.Reconcile.Epoch(ctx)
	if err != nil {
		return contract.ReconcileResult{}, err
	}
	pass := &pass{Reconciler: a, epoch: epoch, now: a.Clock(), batch: reconcileBatch}
	if a.Rate > 0 {
		pass.batch = min(reconcileBatch, a.Rate*listTime)
	}
	// Overdue work goes first: after a loss of Temporal's database it must not wait until all workflows are started
	// again. A failing step stops no other step; the error says that the pass is not complete.
	var failed error
	for _, step := range []func(context.Context) error{
		pass.probes, pass.late, pass.checks, pass.returns, pass.held, pass.wakes, pass.decided,
		pass.overdue, pass.endedGrants, pass.sweeps, pass.debts,
		pass.payments, pass.subscriptions, pass.erasures, pass.endpoints, pass.senders, pass.clocks,
		pass.callbacks, pass.unanswered,
		pass.overlooked, pass.expiring, pass.removals, pass.purge,
	} {
		failed = errors.Join(failed, step(ctx))
		if ctx.Err() != nil {
			break
		}
		execution.Heartbeat(ctx)
	}
	if a.Report != nil {
		a.Report(pass.found)
	}
	if failed != nil {
		return pass.found, failed
	}
	return pass.found, execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
		return tx.Reconcile.SetReconciled(ctx)
	})
}

type pass struct {
	*Reconciler
	epoch int64
	now   time.Time
	batch int // most rows of one list
	found contract.ReconcileResult
	// probing: payments of silent accounts were signaled to ask.
	probing bool
}

// each calls do for every item and returns those for which it succeeded.
func each[T any](
	ctx context.Context, p *pass, items []T, workflowID func(T) string, do func(context.Context, T) error,
) []T {
	worked, _, _ := inParts(ctx, p, items, workflowID, do, func([]T) error { return nil })
	return worked
}

// inParts calls do for every item, part by part, and passes the items of each part for which it succeeded to note. One
// failure does not stop the others: the next pass finds what failed. It keeps to the pace, and to the speed at which
// workers take up earlier starts: a command waits behind everything in its task queue. After listTime it leaves the
// rest to the next pass, so that the other lists get their share of this one. The error is that of note.
func inParts[T any](
	ctx context.Context, p *pass, items []T, workflowID func(T) string, do func(context.Context, T) error,
	note func(worked []T) error,
) (worked []T, left bool, err error) {
	until := p.Clock().Add(listTime * time.Second)
	for part := range slices.Chunk(items, noteEvery) {
		if len(worked) > 0 && p.Clock().After(until) {
			return worked, true, nil
		}
		done := together(ctx, p, part, do)
		worked = append(worked, done...)
		if len(done) > 0 {
			p.attended(ctx, workflowID(done[len(done)-1]))
			if err := note(done); err != nil {
				return worked, true, err
			}
		}
		execution.Heartbeat(ctx)
	}
	return worked, false, nil
}

// together does one thing for every item, a few at a time.
func together[T any](ctx context.Context, p *pass, items []T, do func(context.Context, T) error) (worked []T) {
	done := make([]bool, len(items))
	var group errgroup.Group
	group.SetLimit(reconcileAtOnce)
	for i, item := range items {
		if p.pace.wait(ctx, p.Rate) != nil {
			break // the activity is to end
		}
		group.Go(func() error {
			err := do(ctx, item)
			if done[i] = err == nil; !done[i] && activity.IsActivity(ctx) {
				activity.GetLogger(ctx).Warn("left to the next pass", "item", item, "error", err)
			}
			return nil
		})
	}
	_ = group.Wait()
	for i, item := range items {
		if done[i] {
			worked = append(worked, item)
		}
	}
	return worked
}

// attended waits until a worker has taken up the last start, for some seconds at most.
func (p *pass) attended(ctx context.Context, workflowID string) {
	for wait := attendedPause; wait < attendedLongest; wait *= 2 {
		if ok, err := p.Waker.Attended(ctx, workflowID); ok || err != nil {
			return // where Temporal does not answer, the next start says so
		}
		if execution.Pause(ctx, wait) != nil {
			return
		}
	}
}

func (p *pass) subscriptions(ctx context.Context) error {
	refs, err := p.Store.Reconcile.UnstartedSubscriptions(ctx, p.epoch, p.batch)
	if err != nil {
		return err
	}
	return p.start(ctx, db.StartedSubscriptions, refs, func(ctx context.Context, r db.Ref) error {
		defer failpoint.Hit(failpoint.ReconcileStarted)
		return p.Waker.StartSubscription(ctx, contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref(r)}})
	})
}

func (p *pass) payments(ctx context.Context) error {
	refs, err := p.Store.Reconcile.UnstartedTransactions(ctx, p.epoch, p.batch)
	if err != nil {
		return err
	}
	return p.start(ctx, db.StartedTransactions, refs, func(ctx context.Context, r db.Ref) error {
		return p.Waker.StartPayment(ctx, contract.PaymentInput{Ref: ref(r)})
	})
}

// erasures starts the workflows of unfinished erasures: also those without progress, whose workflow may have been
// terminated. One that runs is as good as started.
func (p *pass) erasures(ctx context.Context) error {
	start := func(ctx context.Context, r db.Ref) error {
		return p.Waker.StartErasure(ctx, contract.ErasureInput{Ref: ref(r)})
	}
	refs, err := p.Store.Customers.UnstartedErasures(ctx, p.epoch, p.batch)
	if err != nil {
		return err
	}
	if err := p.start(ctx, db.StartedErasures, refs, start); err != nil {
		return err
	}
	stuck, err := p.Store.Customers.StuckErasures(ctx, p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	refs = make([]db.Ref, len(stuck))
	for i, s := range stuck {
		refs[i] = s.Ref
	}
	each(ctx, p, refs, refID, start)
	return nil
}

// start starts workflows and notes them as it goes, which keeps the next pass from finding them. After a full batch the
// next one follows at once. Only starts do that, since each is noted in its row; a signal leaves the row as it is until
// a worker has acted, so that an immediate second look would only repeat it.
func (p *pass) start(
	ctx context.Context, table db.StartedTable, found []db.Ref, do func(context.Context, db.Ref) error,
) error {
	started, left, err := inParts(ctx, p, found, refID, do, func(part []db.Ref) error {
		return execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) error {
			return tx.Reconcile.SetStarted(ctx, table, p.epoch, part)
		})
	})
	p.found.Started += len(started)
	if left || len(found) == p.batch && len(started) > 0 {
		p.found.More = true
	}
	return err
}

func (p *pass) clocks(ctx context.Context) error {
	refs, err := p.Store.Reconcile.BusyClocks(ctx, p.batch)
	if err != nil {
		return err
	}
	each(ctx, p, refs, refID, func(ctx context.Context, r db.Ref) error {
		return p.Waker.AdvanceClock(ctx, ref(r))
	})
	return nil
}

func (p *pass) wakes(ctx context.Context) error {
	refs, err := p.Store.Reconcile.WakePendingBefore(ctx, p.now.Add(-grace), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, refID, p.wake))
	return nil
}

// decided signals the decisions of persons to the workflows of payments without a subscription. From then on the signal
// waits in Temporal, so that the mark is not needed any more.
func (p *pass) decided(ctx context.Context) error {
	before := p.now.Add(-grace)
	refs, err := p.Store.Reconcile.WakePendingPayments(ctx, before, p.batch)
	if err != nil || len(refs) == 0 {
		return err
	}
	signalled := each(ctx, p, refs, refID, func(ctx context.Context, r db.Ref) error {
		return p.check(ctx, db.TransactionRef{Ref: r})
	})
	p.found.Signalled += len(signalled)
	return execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) error {
		return tx.Reconcile.ClearPaymentsWakePending(ctx, signalled, before)
	})
}

func (p *pass) wake(ctx context.Context, r db.Ref) error {
	return p.Waker.Wake(ctx, ref(r), contract.SignalWake, contract.Wake{By: "system"})
}

func (p *pass) callbacks(ctx context.Context) error {
	err := execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) error {
		if err := tx.Payments.ClaimCallbacks(ctx, p.now.Add(-claimable)); err != nil {
			return err
		}
		given, err := tx.Payments.GiveUpCallbacks(ctx,
			p.now.Add(-unclaimedLife), p.now.Add(-unansweredLife), p.now.Add(-callbackLife), purgeBatch)
		p.found.Unclaimed, p.found.Unanswered = given.Unclaimed, given.Unanswered
		return err
	})
	if err != nil {
		return err
	}
	lost, err := p.Store.Payments.LostCallbacks(ctx, lostNamed)
	if err != nil {
		return err
	}
	for _, c := range lost {
		p.found.Lost = append(p.found.Lost, contract.LostCallback{
			ID: c.ID, EnvironmentID: c.EnvironmentID, TransactionID: c.TransactionID, ProviderRef: c.ProviderRef,
			ProviderConfigID: c.ProviderConfigID,
		})
	}
	refs, err := p.Store.Reconcile.OpenCallbacksBefore(ctx, p.now.Add(-grace), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	return nil
}

func (p *pass) checks(ctx context.Context) error {
	refs, err := p.Store.Reconcile.OverdueChecks(ctx, p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	return nil
}

// held wakes the payments that a change of the accounts at providers may have released: a charging stop has ended, or
// an account was added. Each is released once for a change, so that after a full batch the next pass follows at once; a
// payment without its signal is overdue a minute later.
func (p *pass) held(ctx context.Context) error {
	var refs []db.TransactionRef
	err := execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) (err error) {
		refs, err = tx.Payments.ReleaseHeld(ctx, p.batch)
		return err
	})
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	p.found.More = p.found.More || len(refs) == p.batch
	return nil
}

// check asks the owner of a transaction: the subscription's workflow while it lives, else the transaction's own.
func (p *pass) check(ctx context.Context, r db.TransactionRef) error {
	owner := contract.Owner{EnvironmentID: r.EnvironmentID, TransactionID: r.ID, SubscriptionID: r.SubscriptionID}
	return p.Waker.Check(ctx, owner, contract.Check{TransactionID: r.ID})
}

func (p *pass) late(ctx context.Context) error {
	late, err := p.Store.Reconcile.LateSubscriptions(ctx, p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Late = len(late)
	p.found.Signalled += len(each(ctx, p, late, refID, p.wake))
	behind, err := p.Store.Reconcile.BehindClock(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	still := make([]db.Ref, len(behind))
	for i, s := range behind {
		still[i] = s.Ref
	}
	p.stuck.learn(p.now, late, still)
	p.found.Signalled += len(each(ctx, p, p.stuck.lasting(still, p.now.Add(-overdue)), refID, p.wake))
	lasting := p.stuck.lasting(slices.Concat(late, still), p.now.Add(-stuckAfter))
	p.found.Stuck = len(lasting)
	for _, s := range lasting[:min(len(lasting), stuckNamed)] {
		p.found.StuckIDs, p.found.StuckIn = append(p.found.StuckIDs, s.ID), append(p.found.StuckIn, s.EnvironmentID)
	}
	return nil
}

// overlooked wakes subscriptions with a date that has passed and that is not their next action. A build that does not
// know a date leaves them so. Their workflows decide by the rows, and not by the next action (ADR 68).
func (p *pass) overlooked(ctx context.Context) error {
	refs, err := p.Store.Reconcile.OverlookedSubscriptions(ctx, p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Overlooked = len(refs)
	woken := each(ctx, p, refs, refID, p.wake)
	p.found.Signalled += len(woken)
	p.found.More = p.found.More || len(refs) == p.batch && len(woken) > 0
	return nil
}

func refID(r db.Ref) string { return r.ID }

// ownerID names the workflow that looks after a transaction.
func ownerID(r db.TransactionRef) string { return cmp.Or(r.SubscriptionID, r.ID) }

func ref(r db.Ref) contract.Ref { return contract.Ref{EnvironmentID: r.EnvironmentID, ID: r.ID} }
