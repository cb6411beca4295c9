package activities

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/contract"
	"perennial/db"
)

// Ticker tells a subscription's workflow that its clock has moved, and waits until it has done what is due.
type Ticker interface {
	Tick(ctx context.Context, in contract.SubscriptionStart, tick contract.Tick) error
}

// Clocks are the activities of test clocks.
type Clocks struct {
	Store  *db.Store
	Clock  Clock
	Ticker Ticker
	// Patience is how long, in real time, a step waits for a pending payment before it stops the advance; 0: 10 s.
	Patience time.Duration
}

const (
	tickers    = 8                     // subscriptions of one clock that move at a time
	settlePoll = 25 * time.Millisecond // between looks at payments under way
)

// BeginAdvance notes where the clock goes. A repeat of a request that was performed is recognised by its idempotency
// row, or by the target.
func (a *Clocks) BeginAdvance(ctx context.Context, in contract.AdvanceInput) (contract.AdvanceResult, error) {
	var out contract.AdvanceResult
	env, adv := in.Ref.EnvironmentID, in.Advance
	err := a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, env, in.Ref.ID)
		if err != nil {
			return err
		}
		if adv.Idempotency != nil {
			row, ok, err := tx.IdempotencyKey(ctx, env, adv.Idempotency.Route, adv.Idempotency.Key)
			if err != nil {
				return err
			}
			if ok && row.State != db.IdempotencyInFlight {
				return nil
			}
		}
		if refusal := refuseAdvance(clock, adv.To); refusal != nil {
			out.Refusal = contract.RefusalOf(refusal)
			return nil // not performed: a repeat whose answer was lost is refused again, not taken for done
		}
		if adv.Idempotency != nil {
			if err := tx.PerformIdempotency(ctx, env, adv.Idempotency.Route, adv.Idempotency.Key); err != nil {
				return err
			}
		}
		clock.Status, clock.TargetAt, clock.BlockedBy = db.ClockAdvancing, adv.To, nil
		return tx.SaveTestClock(ctx, env, clock)
	})
	return out, err
}

func refuseAdvance(clock db.TestClock, to time.Time) *fault.Error {
	switch {
	case clock.Status == db.ClockAdvancing && clock.TargetAt.Equal(to):
		return nil
	case clock.Status == db.ClockAdvancing:
		return fault.New(fault.Conflict, "test_clock_advancing", "the clock is on its way to %s; wait until it is ready",
			clock.TargetAt.UTC().Format(time.RFC3339)).After(time.Second)
	case !to.After(clock.NowAt):
		return fault.InvalidParam("to", "test_clock_backwards", "the clock stands at %s and only moves forward", clock.NowAt.UTC().Format(time.RFC3339))
	}
	return nil
}

// StepClock moves the clock to the next instant at which any of its subscriptions has something to do, at most to the
// target, and lets them do it. It may be repeated: the clock never goes back, and what was done is not due again.
func (a *Clocks) StepClock(ctx context.Context, ref contract.Ref) (contract.StepResult, error) {
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
	blocked, err := a.tick(ctx, ref, due, now)
	return contract.StepResult{Now: now, Done: len(due) == 0 && now.Equal(target) && len(blocked) == 0, BlockedBy: blocked}, err
}

// settle lets payments that are still under way come to an end before time moves on, and names those that do not.
func (a *Clocks) settle(ctx context.Context, ref contract.Ref) ([]string, error) {
	deadline := a.Clock().Add(a.patience())
	for {
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
		case <-time.After(settlePoll):
		}
	}
}

func (a *Clocks) patience() time.Duration {
	if a.Patience == 0 {
		return 10 * time.Second
	}
	return a.Patience
}

// move sets the clock to the earlier of the next due instant and the target. It answers false where a payment has begun
// meanwhile: its result belongs to the time it began in, so the clock waits for it.
func (a *Clocks) move(ctx context.Context, ref contract.Ref) (now, target time.Time, moved bool, err error) {
	err = a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		now, target, moved = clock.NowAt, clock.NowAt, true
		if clock.Status != db.ClockAdvancing {
			return nil
		}
		next, ok, err := tx.NextDueOnClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		// Read after the dates: what was due then and is not any more shows as a payment now.
		if pending, err := tx.PendingOnClock(ctx, ref.EnvironmentID, ref.ID); err != nil || len(pending) > 0 {
			moved = false
			return err
		}
		target = clock.TargetAt
		now = target
		if ok && next.Before(target) {
			now = next
		}
		if now.Before(clock.NowAt) {
			now = clock.NowAt
		}
		clock.NowAt = now
		return tx.SaveTestClock(ctx, ref.EnvironmentID, clock)
	})
	return now, target, moved, err
}

// tick lets subscriptions do what is due and names the payments that do not come to an end.
func (a *Clocks) tick(ctx context.Context, ref contract.Ref, subscriptions []string, now time.Time) ([]string, error) {
	waiting, cancel := context.WithTimeout(ctx, a.patience())
	defer cancel()
	group, groupCtx := errgroup.WithContext(waiting)
	group.SetLimit(tickers)
	for _, sub := range subscriptions {
		group.Go(func() error {
			in := contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: ref.EnvironmentID, ID: sub}}}
			return a.Ticker.Tick(groupCtx, in, contract.Tick{Now: now})
		})
	}
	err := group.Wait()
	if err == nil {
		return nil, nil
	}
	pending, readErr := a.Store.PendingOnClock(ctx, ref.EnvironmentID, ref.ID)
	if readErr != nil || len(pending) == 0 {
		return nil, err
	}
	return pending, nil
}

// FinishAdvance makes the clock ready again and says so, naming the payments that stopped it early.
func (a *Clocks) FinishAdvance(ctx context.Context, ref contract.Ref, blockedBy []string) error {
	return a.Store.InTx(ctx, workflowOf(ctx), a.Clock(), func(tx *db.Tx) error {
		clock, err := tx.LockTestClock(ctx, ref.EnvironmentID, ref.ID)
		if err != nil || clock.Status != db.ClockAdvancing {
			return err
		}
		clock.Status, clock.TargetAt, clock.BlockedBy = db.ClockReady, time.Time{}, blockedBy
		if err := tx.SaveTestClock(ctx, ref.EnvironmentID, clock); err != nil {
			return err
		}
		return tx.Emit(ctx, ref.EnvironmentID, event.Event{
			Type: event.TestClockAdvanced, ObjectID: clock.ID, OccurredAt: clock.NowAt,
			Data: map[string]any{"id": clock.ID, "now": clock.NowAt.Unix(), "blockedBy": blockedBy},
		})
	})
}
