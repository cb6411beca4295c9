package invoices

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// UsageLines reads the lines for usage of the segments from the one that starts at a time on, of invoices that are paid
// or still to be paid.
func (r Reader) UsageLines(
	ctx context.Context, environmentID, subscriptionID string, from time.Time,
) (kept []invoice.Line, err error) {
	rows, err := core.Queries.UsageLineList(ctx, r.Handle, dbsqlc.UsageLineListParams{
		EnvironmentID: environmentID, SubscriptionID: &subscriptionID, FromStart: from,
	})
	for _, row := range rows {
		kept = append(kept, LineFromDB(row.InvoiceLine, invoice.Invoice{Taxes: core.Value(row.Taxes)}))
	}
	return kept, core.Translate("UsageLineList", err)
}
