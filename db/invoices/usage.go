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
// They come in the order of issue. Money that went back without a credit note counts as credited on them.
func (r Reader) UsageLines(
	ctx context.Context, environmentID, subscriptionID string, from time.Time,
) (kept []invoice.OnInvoice, err error) {
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
	returned, err := r.withoutNote(ctx, environmentID, subscriptionID, rows[0].CustomerID)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		var lines []invoice.Line
		for _, row := range of[id] {
			lines = append(lines, LineFromDB(row.InvoiceLine, invoice.Invoice{Taxes: core.Value(row.Taxes)}))
		}
		lines, err := invoice.Returned(lines, returned[id])
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			kept = append(kept, invoice.OnInvoice{InvoiceID: id, Paid: of[id][0].Status == invoice.Paid, Line: l})
		}
	}
	return kept, nil
}

// withoutNote reads the money of a subscription's invoices that went back, or is to go back, without a credit note.
func (r Reader) withoutNote(
	ctx context.Context, environmentID, subscriptionID, customerID string,
) (map[string]money.Minor, error) {
	rows, err := core.Queries.TransactionListReturned(ctx, r.Handle,
		dbsqlc.TransactionListReturnedParams{EnvironmentID: environmentID, SubscriptionID: &subscriptionID})
	if err != nil || len(rows) == 0 {
		return nil, core.Translate("TransactionListReturned", err)
	}
	var all []invoice.Back
	for _, row := range rows {
		if charge := payments.TransactionFromDB(row.Transaction); !charge.External() {
			all = append(all, invoice.Back{
				InvoiceID: row.InvoiceID, Money: charge.Amount - charge.Captured().Refundable(), Noted: row.CreditedRefund,
			})
		}
	}
	decided, err := core.Queries.InvoiceSumDecidedRefunds(ctx, r.Handle, dbsqlc.InvoiceSumDecidedRefundsParams{
		EnvironmentID: environmentID, SubscriptionID: &subscriptionID, CustomerID: customerID,
	})
	return invoice.WithoutNote(all, money.Minor(decided)), core.Translate("InvoiceSumDecidedRefunds", err)
}
