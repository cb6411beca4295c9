package payments

import (
	"context"

	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// LockCapturesOf reads the charges that settled invoices, by invoice, and locks them.
func (tx *Tx) LockCapturesOf(
	ctx context.Context, environmentID string, invoiceIDs []string,
) (map[string]payment.Transaction, error) {
	captures, err := CapturesOf(ctx, tx.Pipe, environmentID, invoiceIDs)
	for invoiceID, charge := range captures {
		captures[invoiceID] = Granular(tx.Limits, charge)
	}
	return captures, core.Translate("TransactionLockSettling", err)
}

// CapturesOf reads the charges that settled invoices, by invoice, in a read of several.
func CapturesOf(
	ctx context.Context, h dbsqlc.DBTX, environmentID string, invoiceIDs []string,
) (map[string]payment.Transaction, error) {
	rows, err := core.Queries.TransactionLockSettling(ctx, h, dbsqlc.TransactionLockSettlingParams{
		EnvironmentID: environmentID, InvoiceIds: invoiceIDs,
	})
	captures := make(map[string]payment.Transaction, len(rows))
	for _, row := range rows {
		captures[row.SettledInvoiceID] = TransactionFromDB(row.Transaction)
	}
	return captures, err
}
