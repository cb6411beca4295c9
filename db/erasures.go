package db

import (
	"context"
	"slices"
	"time"

	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/billing/subscription"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// EraseCustomer deletes a customer: the row keeps its id and what cannot identify a person, customer.deleted is
// announced, and an erasure begins, which takes everything that was copied from the row. From now on nobody subscribes
// or charges the customer. Fault: customer_not_found, also for one who is erased already.
func (tx *Tx) EraseCustomer(ctx context.Context, environmentID, customerID string) error {
	state, err := tx.LockCustomerState(ctx, environmentID, customerID)
	if err != nil {
		return err
	}
	if !state.Customer.ErasedAt.IsZero() {
		return ErrCustomerNotFound
	}
	err = queries.CustomerErase(ctx, tx.pipe.orElse(notFound("customer")), dbsqlc.CustomerEraseParams{
		EnvironmentID: environmentID, ID: customerID, ErasedAt: &tx.Real,
	})
	if err != nil {
		return err
	}
	if err := tx.forgetImported(ctx, environmentID, customerID); err != nil {
		return err
	}
	e := erasure.OfCustomer(id.New(id.Erasure, tx.Real), customerID, tx.Real)
	if err := tx.BeginErasure(ctx, environmentID, e); err != nil {
		return err
	}
	at := tx.Now
	if !state.ClockNow.IsZero() {
		at = state.ClockNow
	}
	return tx.Emit(ctx, environmentID, event.New(event.CustomerDeleted{ID: customerID}, at))
}

// BeginErasure writes an erasure, and has its workflow started after the commit.
func (tx *Tx) BeginErasure(ctx context.Context, environmentID string, e erasure.Erasure) error {
	tx.AfterCommit(StartErasure{EnvironmentID: environmentID, ID: e.ID, CustomerID: e.CustomerID})
	return queries.ErasureInsert(ctx, tx.pipe, dbsqlc.ErasureInsertParams{
		ID: e.ID, EnvironmentID: environmentID, CustomerID: null(e.CustomerID), TestClockID: null(e.TestClockID),
		Stage: e.Stage, AfterPosition: e.After, RequestedAt: e.RequestedAt, ProgressAt: e.ProgressAt,
	})
}

// LockErasure reads one that nobody else may work on until the transaction ends. Fault: erasure_not_found.
func (tx *Tx) LockErasure(ctx context.Context, environmentID, id string) (erasure.Erasure, error) {
	row, err := queries.ErasureLock(ctx, tx.pipe, dbsqlc.ErasureLockParams{EnvironmentID: environmentID, ID: id})
	e := row.Erasure
	return erasure.Erasure{
		ID: e.ID, CustomerID: value(e.CustomerID), TestClockID: value(e.TestClockID), Stage: e.Stage, After: e.AfterPosition,
		UsageAfter: value(e.UsageAfter), RequestedAt: e.RequestedAt, ProgressAt: e.ProgressAt, FinishedAt: value(e.FinishedAt),
	}, readError("erasure", err)
}

// SaveErasure writes how far a locked erasure is.
func (tx *Tx) SaveErasure(ctx context.Context, environmentID string, e erasure.Erasure) error {
	return queries.ErasureUpdate(ctx, tx.pipe, dbsqlc.ErasureUpdateParams{
		EnvironmentID: environmentID, ID: e.ID, Stage: e.Stage, AfterPosition: e.After,
		UsageAfter: null(e.UsageAfter), ProgressAt: e.ProgressAt, FinishedAt: nullTime(e.FinishedAt),
	})
}

// CustomersToErase lists the next customers of a test clock, in id order, which is the order of locks.
func (tx *Tx) CustomersToErase(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) ([]string, erasure.Handled, error) {
	found, err := queries.CustomerListToErase(ctx, tx.pipe, dbsqlc.CustomerListToEraseParams{
		EnvironmentID: environmentID, TestClockID: &e.TestClockID, AfterPosition: e.After, RowLimit: rowLimit(limit),
	})
	ids, handled := batchOf(found, func(r dbsqlc.CustomerListToEraseRow) (string, int64) { return r.ID, r.Position })
	return ids, handled, translate("CustomerListToErase", err)
}

// SubscriptionsToErase lists the next subscriptions of a customer, in id order, under lock.
func (tx *Tx) SubscriptionsToErase(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) ([]string, erasure.Handled, error) {
	found, err := queries.SubscriptionListToErase(ctx, tx.pipe, dbsqlc.SubscriptionListToEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: rowLimit(limit),
	})
	ids, handled := batchOf(found, func(r dbsqlc.SubscriptionListToEraseRow) (string, int64) { return r.ID, r.Position })
	return ids, handled, translate("SubscriptionListToErase", err)
}

func batchOf[R any](found []R, read func(R) (string, int64)) (ids []string, handled erasure.Handled) {
	for _, row := range found {
		id, position := read(row)
		ids, handled.Last = append(ids, id), max(handled.Last, position)
	}
	slices.Sort(ids)
	handled.Rows = len(ids)
	return ids, handled
}

// EraseSubscriptions removes what people wrote into subscriptions, which must be locked.
func (tx *Tx) EraseSubscriptions(ctx context.Context, environmentID string, ids []string) error {
	return queries.SubscriptionErase(ctx, tx.pipe, dbsqlc.SubscriptionEraseParams{
		EnvironmentID: environmentID, Ids: ids, OwnReasons: subscription.OwnReasons(),
	})
}

// EraseInvoices removes the buyer's details from the customer's next invoices, and what people wrote into their credit
// notes.
func (tx *Tx) EraseInvoices(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := queries.InvoiceErase(ctx, tx.pipe, dbsqlc.InvoiceEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: rowLimit(limit),
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, translate("InvoiceErase", err)
}

// EraseTransactions removes the personal and payment data of the customer's next transactions and provider calls.
func (tx *Tx) EraseTransactions(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := queries.TransactionErase(ctx, tx.pipe, dbsqlc.TransactionEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: rowLimit(limit),
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, translate("TransactionErase", err)
}

// EraseEvents removes the reasons that people and providers gave from the customer's next events, and what receivers
// answered to them.
func (tx *Tx) EraseEvents(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := queries.EventErase(ctx, tx.pipe, dbsqlc.EventEraseParams{
		EnvironmentID: environmentID, CustomerID: &e.CustomerID, AfterPosition: e.After, RowLimit: rowLimit(limit),
		OwnReasons: subscription.OwnReasons(),
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, translate("EventErase", err)
}

// EraseResponses removes stored responses that describe the customer.
func (tx *Tx) EraseResponses(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	n, err := queries.ResponseErase(ctx, tx.pipe, dbsqlc.ResponseEraseParams{
		EnvironmentID: environmentID, CustomerID: &e.CustomerID, ErasedAt: &tx.Real, RowLimit: rowLimit(limit),
	})
	return erasure.Handled{Rows: n}, translate("ResponseErase", err)
}

// UnstartedErasures lists unfinished ones whose workflow was not started in this epoch. Global: the reconciler.
func (r Reader) UnstartedErasures(ctx context.Context, epoch int64, limit int) ([]Ref, error) {
	found, err := queries.ErasureListUnstarted(ctx, r.lists(),
		dbsqlc.ErasureListUnstartedParams{Epoch: epoch, RowLimit: rowLimit(limit)})
	return refs(found, func(f dbsqlc.ErasureListUnstartedRow) Ref {
		return Ref(f)
	}), translate("ErasureListUnstarted", err)
}

// StuckErasure is an unfinished erasure without progress.
type StuckErasure struct {
	Ref
	Stage       erasure.Stage
	RequestedAt time.Time
}

// StuckErasures lists those without progress since before, those of each environment in turn. Global: the reconciler
// and the doctor.
func (r Reader) StuckErasures(ctx context.Context, before time.Time, limit int) ([]StuckErasure, error) {
	found, err := queries.ErasureListStuck(ctx, r.lists(), dbsqlc.ErasureListStuckParams{Before: before, RowLimit: limit})
	return refs(found, func(f dbsqlc.ErasureListStuckRow) StuckErasure {
		return StuckErasure{Ref: Ref{f.EnvironmentID, f.ID}, Stage: f.Stage, RequestedAt: f.RequestedAt}
	}), translate("ErasureListStuck", err)
}
