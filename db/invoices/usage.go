package invoices

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/payments"
)

// UsageLines reads the usage lines of paid and payable invoices that bill a segment which starts at a time or later.
// Money that went back without a credit note counts as credited on them.
func (r Reader) UsageLines(
	ctx context.Context, environmentID, subscriptionID string, from time.Time,
) (kept []invoice.Line, err error) {
	rows, err := core.Queries.UsageLineList(ctx, r.Handle, dbsqlc.UsageLineListParams{
		EnvironmentID: environmentID, SubscriptionID: &subscriptionID, FromStart: from,
	})
	if err != nil || len(rows) == 0 {
		return nil, core.Translate("UsageLineList", err)
	}
	of, ids := map[string][]dbsqlc.UsageLineListRow{}, []string(nil)
	for _, row := range rows {
		id := row.InvoiceLine.InvoiceID
		if of[id] == nil {
			ids = append(ids, id)
		}
		of[id] = append(of[id], row)
	}
	returned, err := r.returned(ctx, environmentID, ids)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		var lines []invoice.Line
		for _, row := range of[id] {
			lines = append(lines, LineFromDB(row.InvoiceLine, invoice.Invoice{Taxes: core.Value(row.Taxes)}))
		}
		lines, err := invoice.Returned(lines, returned[id]-of[id][0].CreditedRefund)
		if err != nil {
			return nil, err
		}
		kept = append(kept, lines...)
	}
	return kept, nil
}

// returned reads the money of invoices that went back, or is to go back, with and without credit notes, by invoice.
func (r Reader) returned(
	ctx context.Context, environmentID string, invoiceIDs []string,
) (map[string]money.Minor, error) {
	rows, err := core.Queries.TransactionListReturned(ctx, r.Handle,
		dbsqlc.TransactionListReturnedParams{EnvironmentID: environmentID, InvoiceIds: invoiceIDs})
	sums := make(map[string]money.Minor, len(rows))
	for _, row := range rows {
		if charge := payments.TransactionFromDB(row.Transaction); !charge.External() {
			sums[row.InvoiceID] = charge.Amount - charge.Captured().Refundable()
		}
	}
	return sums, core.Translate("TransactionListReturned", err)
}
