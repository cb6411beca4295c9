package customers

import (
	"context"
	"slices"
	"time"

	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/billing/subscribing"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Erase deletes a customer. The row keeps its id and data that cannot identify a person. It announces customer.deleted
// and begins an erasure, which removes all copies of the row's data. The customer can have no new subscription or
// charge. Fault: customer_not_found, also for an erased customer.
func (tx *Tx) Erase(ctx context.Context, environmentID, customerID string) error {
	state, err := tx.LockState(ctx, environmentID, customerID)
	if err != nil {
		return err
	}
	if !state.Customer.ErasedAt.IsZero() {
		return core.ErrCustomerNotFound
	}
	err = core.Queries.CustomerErase(ctx, tx.Pipe.OrElse(core.NotFound("customer")), dbsqlc.CustomerEraseParams{
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

// BeginErasure writes an erasure, and starts its workflow after the commit.
func (tx *Tx) BeginErasure(ctx context.Context, environmentID string, e erasure.Erasure) error {
	tx.AfterCommit(core.StartErasure{EnvironmentID: environmentID, ID: e.ID, CustomerID: e.CustomerID})
	return core.Queries.ErasureInsert(ctx, tx.Pipe, dbsqlc.ErasureInsertParams{
		ID: e.ID, EnvironmentID: environmentID, CustomerID: core.Null(e.CustomerID), TestClockID: core.Null(e.TestClockID),
		Stage: e.Stage, AfterPosition: e.After, RequestedAt: e.RequestedAt, ProgressAt: e.ProgressAt,
	})
}

// LockErasure reads an erasure and locks it until the transaction ends. Fault: erasure_not_found.
func (tx *Tx) LockErasure(ctx context.Context, environmentID, id string) (erasure.Erasure, error) {
	row, err := core.Queries.ErasureLock(ctx, tx.Pipe, dbsqlc.ErasureLockParams{EnvironmentID: environmentID, ID: id})
	e := row.Erasure
	return erasure.Erasure{
		ID: e.ID, CustomerID: core.Value(e.CustomerID), TestClockID: core.Value(e.TestClockID), Stage: e.Stage,
		After:      e.AfterPosition,
		UsageAfter: core.Value(e.UsageAfter), RequestedAt: e.RequestedAt, ProgressAt: e.ProgressAt,
		FinishedAt: core.Value(e.FinishedAt),
	}, core.ReadError("erasure", err)
}

// SaveErasure writes the progress of a locked erasure.
func (tx *Tx) SaveErasure(ctx context.Context, environmentID string, e erasure.Erasure) error {
	return core.Queries.ErasureUpdate(ctx, tx.Pipe, dbsqlc.ErasureUpdateParams{
		EnvironmentID: environmentID, ID: e.ID, Stage: e.Stage, AfterPosition: e.After,
		UsageAfter: core.Null(e.UsageAfter), ProgressAt: e.ProgressAt, FinishedAt: core.NullTime(e.FinishedAt),
	})
}

// CustomersToErase lists the next customers of a test clock, in id order, which is the order of locks.
func (tx *Tx) CustomersToErase(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) ([]string, erasure.Handled, error) {
	found, err := core.Queries.CustomerListToErase(ctx, tx.Pipe, dbsqlc.CustomerListToEraseParams{
		EnvironmentID: environmentID, TestClockID: &e.TestClockID, AfterPosition: e.After, RowLimit: core.RowLimit(limit),
	})
	ids, handled := batchOf(found, func(r dbsqlc.CustomerListToEraseRow) (string, int64) { return r.ID, r.Position })
	return ids, handled, core.Translate("CustomerListToErase", err)
}

// SubscriptionsToErase lists the next subscriptions of a customer, in id order, under lock.
func (tx *Tx) SubscriptionsToErase(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) ([]string, erasure.Handled, error) {
	found, err := core.Queries.SubscriptionListToErase(ctx, tx.Pipe, dbsqlc.SubscriptionListToEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: core.RowLimit(limit),
	})
	ids, handled := batchOf(found, func(r dbsqlc.SubscriptionListToEraseRow) (string, int64) { return r.ID, r.Position })
	return ids, handled, core.Translate("SubscriptionListToErase", err)
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

// EraseSubscriptions removes texts of people from subscriptions, which the caller has locked.
func (tx *Tx) EraseSubscriptions(ctx context.Context, environmentID string, ids []string) error {
	return core.Queries.SubscriptionErase(ctx, tx.Pipe, dbsqlc.SubscriptionEraseParams{
		EnvironmentID: environmentID, Ids: ids, OwnReasons: subscribing.OwnReasons(),
	})
}

// EraseInvoices removes the buyer's details from the customer's next invoices, and texts of people from their credit
// notes.
func (tx *Tx) EraseInvoices(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := core.Queries.InvoiceErase(ctx, tx.Pipe, dbsqlc.InvoiceEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: core.RowLimit(limit),
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, core.Translate("InvoiceErase", err)
}

// EraseTransactions removes the personal and payment data of the customer's next transactions and provider calls.
func (tx *Tx) EraseTransactions(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := core.Queries.TransactionErase(ctx, tx.Pipe, dbsqlc.TransactionEraseParams{
		EnvironmentID: environmentID, CustomerID: e.CustomerID, AfterPosition: e.After, RowLimit: core.RowLimit(limit),
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, core.Translate("TransactionErase", err)
}

// LockToErase locks a customer, and waits for all writers of rows that refer to it.
func (tx *Tx) LockToErase(ctx context.Context, environmentID, id string) error {
	return core.Queries.CustomerLockToErase(ctx, tx.Pipe,
		dbsqlc.CustomerLockToEraseParams{EnvironmentID: environmentID, ID: id})
}

// EraseEvents removes the reasons that people and providers gave from the customer's next events, the responses of
// receivers, and all that mails to the customer say. The caller holds the lock to erase: a mail that is being written
// would stay.
func (tx *Tx) EraseEvents(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	row, err := core.Queries.EventErase(ctx, tx.Pipe, dbsqlc.EventEraseParams{
		EnvironmentID: environmentID, CustomerID: &e.CustomerID, AfterPosition: e.After, RowLimit: core.RowLimit(limit),
		OwnReasons: subscribing.OwnReasons(), Now: tx.Real,
	})
	return erasure.Handled{Rows: row.Handled, Last: row.Last}, core.Translate("EventErase", err)
}

// EraseResponses removes stored responses that describe the customer.
func (tx *Tx) EraseResponses(
	ctx context.Context, environmentID string, e erasure.Erasure, limit int,
) (erasure.Handled, error) {
	n, err := core.Queries.ResponseErase(ctx, tx.Pipe, dbsqlc.ResponseEraseParams{
		EnvironmentID: environmentID, CustomerID: &e.CustomerID, ErasedAt: &tx.Real, RowLimit: core.RowLimit(limit),
	})
	return erasure.Handled{Rows: n}, core.Translate("ResponseErase", err)
}

// UnstartedErasures lists unfinished erasures whose workflow was not started in this epoch. Global: the reconciler.
func (r Reader) UnstartedErasures(ctx context.Context, epoch int64, limit int) ([]core.Ref, error) {
	found, err := core.Queries.ErasureListUnstarted(ctx, r.Lists(),
		dbsqlc.ErasureListUnstartedParams{Epoch: epoch, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.ErasureListUnstartedRow) core.Ref {
		return core.Ref(f)
	}), core.Translate("ErasureListUnstarted", err)
}

// StuckErasure is an unfinished erasure without progress.
type StuckErasure struct {
	core.Ref
	Stage       erasure.Stage
	RequestedAt time.Time
}

// StuckErasures lists erasures without progress since before, round-robin across environments. Global: the reconciler
// and the doctor.
func (r Reader) StuckErasures(ctx context.Context, before time.Time, limit int) ([]StuckErasure, error) {
	found, err := core.Queries.ErasureListStuck(ctx, r.Lists(),
		dbsqlc.ErasureListStuckParams{Before: before, RowLimit: limit})
	return core.Map(found, func(f dbsqlc.ErasureListStuckRow) StuckErasure {
		return StuckErasure{Ref: core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, Stage: f.Stage,
			RequestedAt: f.RequestedAt}
	}), core.Translate("ErasureListStuck", err)
}

// forgetImported removes the customer's data from the records of the import.
func (tx *Tx) forgetImported(ctx context.Context, environmentID, customerID string) error {
	return core.Queries.ImportedRecordForget(ctx, tx.Pipe,
		dbsqlc.ImportedRecordForgetParams{EnvironmentID: environmentID, CustomerID: customerID})
}
