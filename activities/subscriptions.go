package activities

import (
	"context"
	"errors"

	"perennial/activities/execution"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// Subscriptions are the activities of the subscription workflow that need the database only.
type Subscriptions struct {
	Store    *db.Store
	Clock    execution.Clock
	Observer execution.Observer
}

// Advance performs the work that is due by now, removes the mark of pending wake-ups and returns what the workflow
// needs to know. It may be repeated: finished work is not due again.
func (a *Subscriptions) Advance(ctx context.Context, in contract.AdvanceInput) (contract.Snapshot, error) {
	var out contract.Snapshot
	env := in.Ref.EnvironmentID
	err := execution.InTx(ctx, a.Store, in.Now, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, env, in.Ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Advance(found, db.Moment(in.Now, a.Clock()))
		if err != nil {
			return err
		}
		if err := tx.Lifecycle.Write(ctx, env, state, changes); err != nil {
			return err
		}
		if err := tx.ClearWakePending(ctx, env, state); err != nil {
			return err
		}
		out = contract.SnapshotOf(state, changes.Unfinished)
		failpoint.Hit(failpoint.RenewBegun)
		return nil
	})
	if errors.Is(err, db.ErrSubscriptionNotFound) {
		a.Observer.RowAbsent(ctx, execution.RowAbsent{Kind: execution.KindSubscription, Ref: in.Ref})
		return contract.Snapshot{Absent: true}, nil
	}
	if err != nil {
		return contract.Snapshot{}, err
	}
	failpoint.Hit(failpoint.RenewCommitted)
	return out, nil
}
