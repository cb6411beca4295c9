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
//
// Usage is erased before, in transactions of its own: it may be in another store. To erase it again does no harm.
func (a *Erasures) EraseBatch(ctx context.Context, ref contract.Ref) (contract.EraseResult, error) {
	var out contract.EraseResult
	usage, err := a.eraseUsage(ctx, ref)
	if err != nil {
		return out, err
	}
	err = execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
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
			if handled, err = erase(ctx, tx, ref.EnvironmentID, e, usage, limit); err != nil {
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

// erasedUsage is how far the usage of a customer is erased. The zero value: its turn has not come.
type erasedUsage struct {
	begun bool
	mark  string
	more  bool
}

// eraseUsage erases the properties of the next records of usage, before the stored responses. They have no stage of
// their own, which workers of earlier builds could not carry on.
func (a *Erasures) eraseUsage(ctx context.Context, ref contract.Ref) (out erasedUsage, err error) {
	var e erasure.Erasure
	err = execution.InTx(ctx, a.Store, a.Clock(), func(tx *db.Tx) error {
		e, err = tx.Customers.LockErasure(ctx, ref.EnvironmentID, ref.ID)
		return err
	})
	switch {
	case errors.Is(err, db.ErrErasureNotFound): // the caller reports it
		return out, nil
	case err != nil || e.Stage != erasure.Responses:
		return out, err
	}
	out.begun = true
	out.mark, out.more, err = a.Store.UsageLog().Erase(ctx, execution.Actor(ctx), a.Clock(), ref.EnvironmentID,
		e.CustomerID, e.UsageAfter)
	return out, err
}

func erase(
	ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, usage erasedUsage, limit int,
) (erasure.Handled, error) {
	// The customer is the first in the order of locks, before the many rows of a batch.
	var err error
	switch {
	case e.Stage == erasure.Events:
		err = tx.Customers.LockToErase(ctx, env, e.CustomerID)
	case e.CustomerID != "":
		_, err = tx.Customers.Lock(ctx, env, e.CustomerID)
	}
	if err != nil {
		return erasure.Handled{}, err
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
		return eraseResponses(ctx, tx, env, e, usage, limit)
	}
}

// eraseResponses erases stored responses once the usage is erased, and what its keys were hashed with.
func eraseResponses(
	ctx context.Context, tx *db.Tx, env string, e erasure.Erasure, usage erasedUsage, limit int,
) (erasure.Handled, error) {
	if !usage.begun || usage.more {
		return erasure.Handled{Rows: limit, UsageAfter: usage.mark}, nil
	}
	if err := tx.Usage.EraseSalt(ctx, env, e.CustomerID); err != nil {
		return erasure.Handled{}, err
	}
	handled, err := tx.Customers.EraseResponses(ctx, env, e, limit)
	handled.UsageAfter = usage.mark
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
