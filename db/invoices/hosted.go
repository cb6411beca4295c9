package invoices

import (
	"context"

	"perennial/billing/invoice"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Hosted is an issued invoice with what its page needs of the environment.
type Hosted struct {
	Invoice  invoice.Invoice
	LinkKey  []byte
	LinkDays int
	TimeZone string
}

// Hosted reads one without its lines: the caller judges the link before it reads and shows more. Fault:
// invoice_not_found, also for a draft.
func (r Reader) Hosted(ctx context.Context, environmentID, id string) (Hosted, error) {
	row, err := core.Queries.InvoiceGetHosted(ctx, r.Handle,
		dbsqlc.InvoiceGetHostedParams{EnvironmentID: environmentID, ID: id})
	if err != nil {
		return Hosted{}, core.ReadError("invoice", err)
	}
	return Hosted{
		Invoice: InvoiceFromDB(row.Invoice), LinkKey: row.LinkKey, LinkDays: row.InvoiceLinkDays, TimeZone: row.TimeZone,
	}, nil
}

// RenewLink gives an issued invoice another link, which ends the one before. Fault: invoice_not_found, also for a
// draft.
func (tx *Tx) RenewLink(ctx context.Context, environmentID, id string) error {
	return core.Queries.InvoiceRenewLink(ctx, tx.Pipe.OrElse(core.NotFound("invoice")),
		dbsqlc.InvoiceRenewLinkParams{EnvironmentID: environmentID, ID: id})
}
