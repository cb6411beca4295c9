package due

import (
	"context"
	"errors"
	"time"

	"perennial/activities/execution"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// cancelBatch is the number of subscriptions of one customer that are read for cancellation at a time.
const cancelBatch = 100

// ReviewDebts decides the state of a customer by the overdue policy at a time that no decision about an invoice comes
// at, and cancels the subscriptions where the state asks for it, each in a transaction of its own. A repeat after a
// crash goes on: what was canceled is not canceled again, and the customer stays due until nothing is left. Customers
// have no workflow: the reconciler finds those in real time, and a step of their clock the others (ADR 85).
func ReviewDebts(ctx context.Context, store *db.Store, of db.Ref, now time.Time) error {
	var canceling bool
	err := execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockDebts(ctx, of.EnvironmentID, of.ID)
		if err != nil {
			return err
		}
		state, changes := lifecycle.ReviewDebts(state, db.Moment(now, now))
		canceling = state.Customer.Overdue.Canceling
		return tx.Lifecycle.Write(ctx, of.EnvironmentID, state, changes)
	})
	if err != nil || !canceling {
		return err
	}
	return cancelForDebt(ctx, store, of, now)
}

// cancelForDebt cancels the subscriptions that the customer had when the state began.
func cancelForDebt(ctx context.Context, store *db.Store, of db.Ref, now time.Time) error {
	c, err := store.Customers.Get(ctx, of.EnvironmentID, of.ID)
	if err != nil || !c.Overdue.Canceling {
		return err
	}
	ids, err := store.Subscriptions.ToCancelForDebt(ctx, of.EnvironmentID, of.ID, c.Overdue.Since, cancelBatch)
	if err != nil {
		return err
	}
	var failed error // one that cannot be canceled yet keeps none of the others
	for _, id := range ids {
		err := cancelOne(ctx, store, contract.Ref{EnvironmentID: of.EnvironmentID, ID: id}, now)
		failed = errors.Join(failed, err)
		if err == nil {
			failpoint.Hit(failpoint.DebtCanceled)
		}
		execution.Heartbeat(ctx)
	}
	if failed != nil || len(ids) == cancelBatch {
		return failed // still due: the next review goes on
	}
	return execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockDebts(ctx, of.EnvironmentID, of.ID)
		if err != nil || !state.Customer.Overdue.Since.Equal(c.Overdue.Since) {
			return err // another state has begun: its own review follows
		}
		state, changes := lifecycle.EndCancellations(state, db.Moment(now, now))
		return tx.Lifecycle.Write(ctx, of.EnvironmentID, state, changes)
	})
}

// cancelOne cancels a subscription, if its customer's state still asks for it under the locks.
func cancelOne(ctx context.Context, store *db.Store, ref contract.Ref, now time.Time) error {
	return execution.InTx(ctx, store, now, func(tx *db.Tx) error {
		found, err := tx.Lifecycle.LockSubscription(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.CancelForDebt(found, db.Moment(now, now))
		if err != nil || changes.Subscription == nil {
			return err
		}
		if err := tx.Lifecycle.Write(ctx, ref.EnvironmentID, state, changes); err != nil {
			return err
		}
		return tx.Wake(ctx, ref.EnvironmentID, state, "")
	})
}
