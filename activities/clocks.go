package activities

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
)

// Clocks are the activities of test clocks.
type Clocks struct {
	Store *db.Store
	Clock Clock
	// Patience is how long, in real time, a step waits for a pending payment before it stops the advance; 0: 10 s.
	Patience time.Duration
}

const (
	clockWorkers  = 8                      // subscriptions of one clock that advance at a time
	settlePoll    = 25 * time.Millisecond  // before the second look at payments under way; it doubles
	settleLongest = 400 * time.Millisecond // up to this: with many customers a look costs something
)

// StepClock moves the clock to the next instant at which any of its subscriptions has something to do, at most to the
// target, and does what is due
// there for up to a hundred of them; the next step does the rest. Payments that this begins are charged by their subscriptions' workflows; the next step waits for
// them. It may be repeated: the clock never goes back, and what was done is not due again.
func (a *Clocks) StepClock(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
	step, err := a.step(ctx, ref)
	if errors.Is(err, db.ErrTestClockNotFound) {
		return contract.StepResult{Done: true}, nil // deleted meanwhile
	}
	return step, err
}

func (a *Clocks) step(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
	if blocked, err := a.settle(ctx, ref); err != nil || len(blocked) > 0 {
		return contract.StepResult{BlockedBy: blocked}, err
	}
	now, target, moved, err := a.move(ctx, ref)
	if err != nil || !moved {
		return contract.StepResult{Now: now}, err
	}
	due, err := a.Store.DueOnClock(ctx, ref.EnvironmentID, ref.ID, now)
	if err != nil {
		return contract.StepResult{}, err
	}
	err = a.advanceAll(ctx, ref.EnvironmentID, due)
	return contract.StepResult{Now: now, Done: len(due) == 0 && now.Equal(target)}, err
}

// settle lets payments that are still under way come to an end before time moves on, and names those that do not.
func (a *Clocks) settle(ctx context.Context, ref contract.Ref) ([]string, error) {
	deadline := a.Clock().Add(a.patience())
	for wait := settlePoll; ; wait = min(2*wait, settleLongest) {
		pending, err := a.Store.PendingOnClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil || len(pending) == 0 {
			return nil, err
		}
		if !a.Clock().Before(deadline) {
			return pending, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
	}
}

func (a *Clocks) patience() time.Duration {
	if a.Patience == 0 {
		return 10 * time.Second
	}
	return a.Patience
}

// move sets the clock to the earlier of the next due instant and the target. It returns false where a payment has begun
// meanwhile: its result belongs to the time it began in, so the clock waits for it.
func (a *Clocks) move(ctx context.Context, ref contract.Ref) (now, target time.Time, moved bool, err error) {
	err = a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		now, target, moved = clock.NowAt, clock.NowAt, true
		if clock.Status != testclock.Advancing {
			return nil
		}
		next, _, err := tx.NextDueOnClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		// Read after the dates: what was due then and is not any more shows as a payment now.
		if pending, err := tx.PendingOnClock(ctx, ref.EnvironmentID, ref.ID); err != nil || len(pending) > 0 {
			moved = false
			return err
		}
		clock.NowAt = clock.Next(next)
		now, target = clock.NowAt, clock.TargetAt
		return tx.SaveTestClock(ctx, ref.EnvironmentID, clock)
	})
	return now, target, moved, err
}

// advanceAll lets subscriptions do what is due.
func (a *Clocks) advanceAll(ctx context.Context, env string, subscriptionIDs []string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(clockWorkers)
	for _, id := range subscriptionIDs {
		group.Go(func() error { return a.advance(ctx, contract.Ref{EnvironmentID: env, ID: id}) })
	}
	return group.Wait()
}

// advance lets one subscription do what is due at its clock's time, and wakes its workflow to follow the payments. The
// workflow of a subscription on a clock has no timers of its own.
func (a *Clocks) advance(ctx context.Context, ref contract.Ref) error {
	wall := a.Clock()
	return a.Store.InTx(ctx, workflowOf(ctx), wall, func(tx *db.Tx) error {
		state, err := tx.LockSubscription(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Advance(state, db.Moment(wall, wall))
		if err != nil {
			return err
		}
		if err := tx.Write(ctx, ref.EnvironmentID, state, changes); err != nil {
			return err
		}
		if state.WakePending { // the earlier signal may have been lost, and the clock waits for the payment
			tx.AfterCommit(db.SignalSubscription{EnvironmentID: ref.EnvironmentID, ID: ref.ID, Revision: state.Subscription.Revision})
		}
		return tx.Wake(ctx, ref.EnvironmentID, state, "")
	})
}

// FinishAdvance makes the clock ready again and announces it, naming the payments that stopped it early.
func (a *Clocks) FinishAdvance(ctx context.Context, ref contract.Ref, blockedBy []string) error {
	return a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, ref.EnvironmentID, ref.ID)
		if errors.Is(err, db.ErrTestClockNotFound) {
			return nil // deleted, which ended the advance
		}
		if err != nil || clock.Status != testclock.Advancing {
			return err
		}
		clock = clock.Finish(blockedBy)
		if err := tx.SaveTestClock(ctx, ref.EnvironmentID, clock); err != nil {
			return err
		}
		return tx.Emit(ctx, ref.EnvironmentID, event.New(event.TestClockAdvanced{
			ID: clock.ID, Now: clock.NowAt.Unix(), BlockedBy: blockedBy,
		}, clock.NowAt))
	})
}
