package payments

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Settlement is the one success that counts for an invoice.
// TransactionID is empty where credit paid it or nothing was due.
type Settlement struct {
	InvoiceID     string
	TransactionID string
	Amount        money.Minor
	SettledAt     time.Time
}

// Settlement reads the one of an invoice. Fault: settlement_not_found.
func (r Reader) Settlement(ctx context.Context, environmentID, invoiceID string) (Settlement, error) {
	row, err := core.Queries.SettlementGet(ctx, r.Handle,
		dbsqlc.SettlementGetParams{EnvironmentID: environmentID, InvoiceID: invoiceID})
	s := row.Settlement
	return Settlement{
		InvoiceID: s.InvoiceID, TransactionID: core.Value(s.TransactionID), Amount: s.Amount, SettledAt: s.SettledAt,
	}, core.ReadError("settlement", err)
}

// InsertSettlement settles an invoice, which must be locked and open. transactionID is empty exactly where amount is 0.
// Faults: invoice_settled; transaction_settled, when the transaction settled another invoice.
func (tx *Tx) InsertSettlement(
	ctx context.Context, environmentID, invoiceID, transactionID string, amount money.Minor, at time.Time,
) error {
	return core.Queries.SettlementInsert(ctx, tx.Pipe, dbsqlc.SettlementInsertParams{
		EnvironmentID: environmentID, InvoiceID: invoiceID, TransactionID: core.Null(transactionID), Amount: amount,
		SettledAt: at,
	})
}
