package lifecycle

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	dbinvoices "perennial/db/invoices"
)

// loadElsewhere reads the customer's other open invoices where an overdue policy asks about them. Customers without one
// cost no round trip. The customer's lock keeps them as they are.
func (l *loader) loadElsewhere(r core.Reader) error {
	if !l.ReviewsDebts() {
		return nil
	}
	rows, err := core.Queries.InvoiceListOwed(l.ctx, r.Handle,
		dbsqlc.InvoiceListOwedParams{EnvironmentID: l.environmentID, CustomerID: l.Customer.ID})
	elsewhere := []invoice.Invoice{}
	for _, row := range rows {
		if !l.IsOpen(row.Invoice.ID) {
			elsewhere = append(elsewhere, dbinvoices.InvoiceFromDB(row.Invoice))
		}
	}
	l.Elsewhere = &elsewhere
	return err
}

// LockDebts is the State of a customer, who is locked, for the review of what the customer owes. Fault:
// customer_not_found.
func (tx *Tx) LockDebts(ctx context.Context, environmentID, customerID string) (lifecycle.State, error) {
	s, err := tx.customers.LockState(ctx, environmentID, customerID)
	if err != nil {
		return s, err
	}
	l := loader{ctx: ctx, environmentID: environmentID, State: s}
	if err := tx.Together(ctx, l.readEnvironment); err != nil {
		return s, core.ReadError("customer", err)
	}
	if err := l.loadElsewhere(tx.Reads()); err != nil {
		return s, core.ReadError("customer", err)
	}
	return l.State, nil
}
