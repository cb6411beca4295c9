package activities

import (
	"context"
	"errors"

	"perennial/activities/execution"
	"perennial/billing/erasure"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/db"
)

// Erasures are the activities of erasures.
type Erasures struct {
	Store    *db.Store
	Clock    execution.Clock
	Observer execution.Observer
	// Batch is the number of rows of one transaction; 0: the number that erasure has for the stage.
	Batch int
}

// EraseBatch does the next batch of an erasure, and notes in the same transaction how far it is. A repeat after a crash
// therefore does the batch that was not done.
func (a *Erasures) EraseBatch(ctx context.Context, ref contract.Ref) (contract.EraseResult, error) {
	var out contract.EraseResult
	err := execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
		e, err := tx.Customers.LockErasure(ctx, ref.EnvironmentID, ref.ID)
		if err != nil {
			return err
		}
		var handled erasure.Handled
		if e.Stage != erasure.Finished {
			limit := a.Batch
			if limit == 0 {
				limit = e.Batch()
			}
			if handled, err = erase(ctx, tx, ref.EnvironmentID, e, limit); err != nil {
				return err
			}
			e = e.Next(handled, limit, tx.Real)
		}
		out = contract.EraseResult{
			CustomerID: e.CustomerID, TestClockID: e.TestClockID, Stage: e.Stage, Rows: handled.Rows,
			Done: e.Stage == erasure.Finished,
		}
		return tx.Customers.SaveErasure(ctx, ref.EnvironmentID, e)
	})
	if errors.Is(err, db.ErrErasureNotFound) {
		a.Observer.RowAbsent(ctx, execution.RowAbsent{Kind: execution.KindErasure, Ref: ref})
		return contract.EraseResult{Absent: true}, nil
	}
	return out, err
}

func erase(ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, limit int) (erasure.Handled, error) {
	if e.CustomerID != "" { // the first in the order of locks, before the many rows of a batch
		if _, err := tx.Customers.Lock(ctx, env, e.CustomerID); err != nil {
			return erasure.Handled{}, err
		}
	}
	switch e.Stage {
	case erasure.Customers:
		return eraseCustomers(ctx, tx, env, e, limit)
	case erasure.Subscriptions:
		return eraseSubscriptions(ctx, tx, env, e, limit)
	case erasure.Invoices:
		return tx.Customers.EraseInvoices(ctx, env, e, limit)
	case erasure.Transactions:
		return tx.Customers.EraseTransactions(ctx, env, e, limit)
	case erasure.Events:
		return tx.Customers.EraseEvents(ctx, env, e, limit)
	default:
		return eraseResponses(ctx, tx, env, e, limit)
	}
}

// eraseResponses erases the properties of usage before the stored responses. They have no stage of their own, which
// workers of earlier builds could not carry on.
func eraseResponses(ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, limit int) (erasure.Handled, error) {
	handled, more, err := tx.Usage.Erase(ctx, env, e)
	if err != nil || more {
		handled.Rows = limit
		return handled, err
	}
	usageAfter := handled.UsageAfter
	handled, err = tx.Customers.EraseResponses(ctx, env, e, limit)
	handled.UsageAfter = usageAfter
	return handled, err
}

// eraseCustomers begins an erasure of each customer of a test clock.
func eraseCustomers(ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, limit int) (erasure.Handled, error) {
	ids, handled, err := tx.Customers.CustomersToErase(ctx, env, e, limit)
	if err != nil {
		return handled, err
	}
	for _, id := range ids {
		err := tx.Customers.Erase(ctx, env, id)
		if err != nil && !errors.Is(err, db.ErrCustomerNotFound) { // not found: deleted through the API meanwhile
			return handled, err
		}
	}
	return handled, nil
}

// eraseSubscriptions cancels subscriptions, as lifecycle does with every subscription of an erased customer, and erases
// what people wrote into them.
func eraseSubscriptions(
	ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	ids, handled, err := tx.Customers.SubscriptionsToErase(ctx, env, e, limit)
	if err != nil {
		return handled, err
	}
	for _, id := range ids {
		state, err := tx.Lifecycle.LockSubscription(ctx, env, id)
		if err != nil {
			return handled, err
		}
		state, changes, err := lifecycle.Advance(state, db.Moment(tx.Now, tx.Real))
		if err != nil {
			return handled, err
		}
		if changes.Subscription == nil {
			continue // it was canceled before
		}
		if err := tx.Lifecycle.Write(ctx, env, state, changes); err != nil {
			return handled, err
		}
		if err := tx.Wake(ctx, env, state, contract.CommandCancel); err != nil {
			return handled, err
		}
	}
	return handled, tx.Customers.EraseSubscriptions(ctx, env, ids)
}
