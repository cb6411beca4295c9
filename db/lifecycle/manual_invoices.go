package lifecycle

import (
	"context"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	dbinvoices "perennial/db/invoices"
	"perennial/db/payments"
)

// LockManualInvoice is the State of a manual invoice: its customer, who is locked, the invoice as draft or as the open
// one, its pending charge, the customer's balance in its currency and what else a decision depends on. An invoice that
// is neither leaves both empty. Faults: customer_not_found, invoice_not_found.
func (tx *Tx) LockManualInvoice(
	ctx context.Context, environmentID, customerID, invoiceID string,
) (lifecycle.State, error) {
	s, err := tx.customers.LockState(ctx, environmentID, customerID)
	if err != nil {
		return s, err
	}
	whole, err := tx.invoices.Get(ctx, environmentID, invoiceID) // its currency and its lines, if they do not change
	if err != nil {
		return s, err
	}
	l := loader{ctx: ctx, environmentID: environmentID, State: s}
	l.Currency = whole.Currency
	locked := invoice.Invoice{}
	err = tx.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err := core.Queries.CreditBalanceLock(ctx, h, dbsqlc.CreditBalanceLockParams{
				EnvironmentID: environmentID, CustomerID: customerID, Currency: whole.Currency,
			})
			l.Balance, l.granted = row.Balance, row.Granted
			return core.Optional(err)
		},
		func(h dbsqlc.DBTX) error {
			row, err := core.Queries.InvoiceLock(ctx, h, dbsqlc.InvoiceLockParams{EnvironmentID: environmentID, ID: invoiceID})
			locked = dbinvoices.InvoiceFromDB(row.Invoice)
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := core.Queries.InvoiceLineList(ctx, h,
				dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: []string{invoiceID}})
			for _, row := range rows {
				locked.Lines = append(locked.Lines, dbinvoices.LineFromDB(row.InvoiceLine, locked))
			}
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := core.Queries.TransactionLockPendingOfInvoice(ctx, h,
				dbsqlc.TransactionLockPendingOfInvoiceParams{EnvironmentID: environmentID, InvoiceID: invoiceID})
			for _, row := range rows {
				l.Pending = append(l.Pending, payments.TransactionFromDB(row.Transaction))
			}
			return err
		},
		l.readEnvironment, l.readProvider,
		func(h dbsqlc.DBTX) (err error) {
			l.TaxRates, err = catalog.TaxRatesOf(ctx, h, environmentID, customerID)
			return err
		})
	if err != nil {
		return lifecycle.State{}, core.ReadError("invoice", err)
	}
	switch locked.Status {
	case invoice.InDraft:
		l.Draft = &locked
	case invoice.Open:
		l.Open = []invoice.Invoice{locked}
	default: // nothing is decided about it but what its payments show
	}
	if err := l.loadGrants(tx.Reads()); err != nil {
		return lifecycle.State{}, core.ReadError("invoice", err)
	}
	if err := l.loadElsewhere(tx.Reads()); err != nil {
		return lifecycle.State{}, core.ReadError("invoice", err)
	}
	l.limit(tx.Limits)
	return l.State, nil
}
