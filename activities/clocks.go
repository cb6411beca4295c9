package activities

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"perennial/activities/due"
	"perennial/activities/execution"
	"perennial/activities/rating"
	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
)

// Clocks are the activities of test clocks.
type Clocks struct {
	Store    *db.Store
	Clock    execution.Clock
	Usage    *rating.Usage // bills what drafts of a step wait for
	Observer execution.Observer
	// Patience limits the wait of a step for a pending payment, in real time, before the step stops the advance; 0: 10
	// s.
	Patience time.Duration
}

const (
	clockWorkers  = 8                      // subscriptions of one clock that advance at a time
	settlePoll    = 25 * time.Millisecond  // before the second look at payments under way; it doubles
	settleLongest = 400 * time.Millisecond // up to this: with many customers a look costs something
)

// StepClock moves the clock to the next instant at which any of its subscriptions has something to do, at most to the
// target, and performs the due work there for up to a hundred of them; the next step does the rest. The subscriptions'
// workflows charge the payments that begin; the next step waits for them. The step that reaches the target makes the
// clock ready, in the transaction that finds nothing left. StepClock may be repeated: the clock never goes back,
// finished work is not due again, and an advance that has begun meanwhile is another one.
func (a *Clocks) StepClock(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
	step, err := a.step(ctx, ref)
	if errors.Is(err, db.ErrTestClockNotFound) {
		return contract.StepResult{Done: true}, a.clockAbsent(ctx, ref)
	}
	return step, err
}

func (a *Clocks) step(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
	if waited, err := a.settle(ctx, ref); err != nil {
		return contract.StepResult{}, err
	} else if !waited {
		return a.block(ctx, ref)
	}
	clock, moved, err := a.move(ctx, ref)
	step := contract.StepResult{Now: clock.NowAt, Done: clock.Status == testclock.Ready}
	if err != nil || !moved || step.Done {
		return step, err
	}
	ids, err := a.Store.Clocks.Due(ctx, ref.EnvironmentID, ref.ID, clock.NowAt)
	if err != nil {
		return contract.StepResult{}, err
	}
	if err := a.advanceAll(ctx, ref.EnvironmentID, ids); err != nil {
		return step, err
	}
	if err := dueOnClock(ctx, a, ref, clock, a.Store.Invoices.DueOnClock, due.AnnounceOverdue); err != nil {
		return step, err
	}
	if err := dueOnClock(ctx, a, ref, clock, a.Store.Customers.DueGrantsOnClock, due.EndGrant); err != nil {
		return step, err
	}
	if err := dueOnClock(ctx, a, ref, clock, a.Store.Customers.ExpiringMethodsOnClock, due.AnnounceExpiry); err != nil {
		return step, err
	}
	return step, dueOnClock(ctx, a, ref, clock, a.Store.Customers.ToReviewOnClock, due.ReviewDebts)
}

// settle waits until pending payments end, before time moves on. It returns false where patience ended first.
func (a *Clocks) settle(ctx context.Context, ref contract.Ref) (bool, error) {
	deadline := a.Clock().Add(a.patience())
	for wait := settlePoll; ; wait = min(2*wait, settleLongest) {
		pending, err := a.Store.Clocks.Pending(ctx, ref.EnvironmentID, ref.ID)
		if err != nil || len(pending) == 0 {
			return true, err
		}
		if !a.Clock().Before(deadline) {
			return false, nil
		}
		if err := execution.Pause(ctx, wait); err != nil {
			return false, err
		}
	}
}

func (a *Clocks) patience() time.Duration {
	if a.Patience == 0 {
		return 10 * time.Second
	}
	return a.Patience
}

// move sets the clock to the earlier of the next due instant and the target, and makes it ready where it has arrived.
// It returns false where a payment has begun meanwhile: its result belongs to the time it began in, so the clock waits
// for it. A clock that is ready stays as it is.
func (a *Clocks) move(ctx context.Context, ref contract.Ref) (clock testclock.Clock, moved bool, err error) {
	err = a.changeAdvancing(ctx, ref, func(tx *db.Tx, c testclock.Clock) (testclock.Clock, error) {
		next, _, err := tx.Clocks.NextDue(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return c, err
		}
		// This is read after the dates: work that was due then and has been done since shows as a payment now.
		if pending, err := tx.Clocks.Pending(ctx, ref.EnvironmentID, ref.ID); err != nil || len(pending) > 0 {
			return c, err
		}
		moved = true
		return c.Step(next), nil
	}, &clock)
	return clock, moved, err
}

// block ends the advance, and names the payments that it does not wait for any longer.
func (a *Clocks) block(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
	var clock testclock.Clock
	err := a.changeAdvancing(ctx, ref, func(tx *db.Tx, c testclock.Clock) (testclock.Clock, error) {
		pending, err := tx.Clocks.Pending(ctx, ref.EnvironmentID, ref.ID)
		if err != nil || len(pending) == 0 {
			return c, err // they came to an end after all
		}
		return c.Finish(pending), nil
	}, &clock)
	return contract.StepResult{Now: clock.NowAt, Done: clock.Status == testclock.Ready, BlockedBy: clock.BlockedBy}, err
}

// changeAdvancing decides about an advancing clock under its lock, writes the new state, and announces a clock that has
// become ready.
func (a *Clocks) changeAdvancing(
	ctx context.Context, ref contract.Ref, decide func(*db.Tx, testclock.Clock) (testclock.Clock, error),
	out *testclock.Clock,
) error {
	return execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.Clocks.Lock(ctx, ref.EnvironmentID, ref.ID)
		if *out = clock; err != nil || clock.Status != testclock.Advancing {
			return err
		}
		if *out, err = decide(tx, clock); err != nil || sameStand(*out, clock) {
			return err
		}
		if err := tx.Clocks.Save(ctx, ref.EnvironmentID, *out); err != nil {
			return err
		}
		if out.Status != testclock.Ready {
			return nil
		}
		return tx.Emit(ctx, ref.EnvironmentID, event.New(event.TestClockAdvanced{
			ID: out.ID, Now: out.NowAt.Unix(), BlockedBy: out.BlockedBy,
		}, out.NowAt))
	})
}

func sameStand(a, b testclock.Clock) bool { return a.Status == b.Status && a.NowAt.Equal(b.NowAt) }

// advanceAll performs the due work of subscriptions.
func (a *Clocks) advanceAll(ctx context.Context, env string, subscriptionIDs []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(clockWorkers)
	for _, id := range subscriptionIDs {
		group.Go(func() error { return a.advance(ctx, contract.Ref{EnvironmentID: env, ID: id}) })
	}
	return group.Wait()
}

// advance performs the due work of one subscription at its clock's time, and wakes its workflow to follow the payments.
// The workflow of a subscription on a clock has no timers of its own.
func (a *Clocks) advance(ctx context.Context, ref contract.Ref) error {
	wall := a.Clock()
	var after lifecycle.State
	err := execution.InTx(ctx, a.Store, wall, func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockSubscription(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Advance(state, db.Moment(wall, wall))
		if err != nil {
			return err
		}
		if err := tx.Lifecycle.Write(ctx, ref.EnvironmentID, state, changes); err != nil {
			return err
		}
		after = state
		if state.WakePending { // the earlier signal may have been lost, and the clock waits for the payment
			tx.AfterCommit(db.SignalSubscription{
				EnvironmentID: ref.EnvironmentID, ID: ref.ID, Revision: state.Subscription.Revision,
			})
		}
		return tx.Wake(ctx, ref.EnvironmentID, state, "")
	})
	if err != nil || !after.UsageDue(wall) {
		return err
	}
	if _, err = a.Usage.BillUsage(ctx, contract.AdvanceInput{Ref: ref, Now: wall}); err != nil {
		return err
	}
	return execution.InTx(ctx, a.Store, wall, func(tx *db.Tx) error { // the workflow has not seen the new state
		state, err := tx.Lifecycle.LockSubscription(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		return tx.Wake(ctx, ref.EnvironmentID, state, "")
	})
}

// clockAbsent reports a clock that a restore has lost. One that was deleted meanwhile still has its row.
func (a *Clocks) clockAbsent(ctx context.Context, ref contract.Ref) error {
	_, err := a.Store.Clocks.Get(ctx, ref.EnvironmentID, ref.ID)
	if !errors.Is(err, db.ErrTestClockNotFound) {
		return err
	}
	a.Observer.RowAbsent(ctx, execution.RowAbsent{Kind: execution.KindTestClock, Ref: ref})
	return nil
}

// dueOnClock lists what is due at the time of a clock, and does it one by one.
func dueOnClock[T any](
	ctx context.Context, a *Clocks, ref contract.Ref, clock testclock.Clock,
	list func(ctx context.Context, environmentID, clockID string, at time.Time) ([]T, error),
	do func(context.Context, *db.Store, T, time.Time) error,
) error {
	found, err := list(ctx, ref.EnvironmentID, ref.ID, clock.NowAt)
	if err != nil {
		return err
	}
	for _, one := range found {
		if err := do(ctx, a.Store, one, a.Clock()); err != nil {
			return err
		}
	}
	return nil
}
