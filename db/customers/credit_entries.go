package customers

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// BalanceEntry is one entry of a customer's ledger.
type BalanceEntry struct {
	ID         string
	CustomerID string
	Currency   money.Currency
	Amount     money.Minor
	Reason     invoice.CreditReason
	Note       string // of a person; erased with the customer
	InvoiceID  string // empty: none
	GrantID    string // the credit grant that it moves; empty: the plain balance
	After      money.Minor
	CreatedAt  time.Time
}

// BalanceEntries lists a customer's entries, in one currency or, empty, in all.
func (r Reader) BalanceEntries(
	ctx context.Context, environmentID, customerID string, currency money.Currency, page core.Page,
) (entries []BalanceEntry, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.CreditEntryList(ctx, r.Lists(), dbsqlc.CreditEntryListParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: core.Null(string(currency)),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("CreditEntryList", err)
	}
	entries, hasMore = core.Cut(page, rows, func(row dbsqlc.CreditEntryListRow) BalanceEntry {
		e := row.CreditEntry
		return BalanceEntry{
			ID: e.ID, CustomerID: e.CustomerID, Currency: e.Currency, Amount: e.Amount, Reason: e.Reason,
			Note:      core.Value(e.Note),
			InvoiceID: core.Value(e.InvoiceID), GrantID: core.Value(e.GrantID), After: money.Minor(e.BalanceAfter),
			CreatedAt: e.CreatedAt,
		}
	})
	return entries, hasMore, nil
}

// LockBalance reads a customer's balance in a currency. It cannot change until the transaction ends if the caller has
// locked the customer, also where no balance exists yet.
func (tx *Tx) LockBalance(
	ctx context.Context, environmentID, customerID string, currency money.Currency,
) (Credit, error) {
	row, err := core.Queries.CreditBalanceLock(ctx, tx.Pipe, dbsqlc.CreditBalanceLockParams{
		EnvironmentID: environmentID, CustomerID: customerID, Currency: currency,
	})
	return Credit{customerID, currency, row.Balance, row.Granted}, core.Translate("CreditBalanceLock", core.Optional(err))
}

// AdjustBalance writes a person's entry. The caller holds the lock, and has computed the balance after it.
func (tx *Tx) AdjustBalance(ctx context.Context, environmentID string, e BalanceEntry) error {
	return core.Queries.CreditGive(ctx, tx.Pipe, dbsqlc.CreditGiveParams{
		ID: e.ID, EnvironmentID: environmentID, CustomerID: e.CustomerID, Currency: e.Currency, Amount: e.Amount,
		Reason: e.Reason, Note: core.Null(e.Note), CreatedAt: e.CreatedAt,
	})
}
