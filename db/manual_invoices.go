package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/tax"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// Manual invoices (ADR 47) and drafts, which have no number, those of subscriptions (ADR 62) too; and what is locked to decide
// about a manual one.

// InsertDraft writes a new draft with its lines.
func (tx *Tx) InsertDraft(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	row := invoiceRow(environmentID, inv)
	if err := rows.InvoiceDraftInsert.Exec(ctx, tx.pipe, &row); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, inv)
}

// SaveDraft replaces what a draft says. Fault: invoice_not_draft.
func (tx *Tx) SaveDraft(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	row := invoiceRow(environmentID, inv)
	if err := rows.InvoiceDraftUpdate.Exec(ctx, tx.pipe.orElse(invoicing.ErrNotDraft), &row); err != nil {
		return err
	}
	return tx.replaceLines(ctx, environmentID, inv)
}

// DeleteDraft removes a draft. Fault: invoice_not_draft.
func (tx *Tx) DeleteDraft(ctx context.Context, environmentID, id string) error {
	if err := tx.deleteLines(ctx, environmentID, id); err != nil {
		return err
	}
	return queries.InvoiceDraftDelete(ctx, tx.pipe.orElse(invoicing.ErrNotDraft),
		dbsqlc.InvoiceDraftDeleteParams{EnvironmentID: environmentID, ID: id})
}

func (tx *Tx) replaceLines(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	if err := tx.deleteLines(ctx, environmentID, inv.ID); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, inv)
}

func (tx *Tx) deleteLines(ctx context.Context, environmentID, invoiceID string) error {
	return queries.InvoiceLineDeleteOfDraft(ctx, tx.pipe,
		dbsqlc.InvoiceLineDeleteOfDraftParams{EnvironmentID: environmentID, InvoiceID: invoiceID})
}

// finalizeInvoice makes a draft an invoice and adds what it gets with that: its number, the seller and the buyer. The
// environment's counter stays locked from here to the commit.
func (tx *Tx) finalizeInvoice(ctx context.Context, environmentID string, inv *invoice.Invoice) error {
	if inv.SubscriptionID == "" { // its taxes may be others now; the lines of a subscription's stay
		if err := tx.replaceLines(ctx, environmentID, *inv); err != nil {
			return err
		}
	}
	if err := tx.beforeCounters(ctx); err != nil {
		return err
	}
	row := invoiceRow(environmentID, *inv)
	err := rows.InvoiceFinalize.QueryRow(ctx, tx.pipe, &row).Scan(&row.Number, &row.NumberText, &row.Seller, &row.Buyer)
	if errors.Is(err, pgx.ErrNoRows) { // the draft is locked, so that it is there
		return errNoCounter
	}
	inv.Number, inv.NumberText, inv.Seller, inv.Buyer =
		value(row.Number), value(row.NumberText), value(row.Seller), value(row.Buyer)
	return translate("InvoiceFinalize", err)
}

// LockManualInvoice is the State of a manual invoice: its customer, who is locked, the invoice as draft or as the open one,
// its pending charge, the customer's balance in its currency and what else a decision depends on. An invoice that is neither
// leaves both empty. Faults: customer_not_found, invoice_not_found.
func (tx *Tx) LockManualInvoice(ctx context.Context, environmentID, customerID, invoiceID string) (lifecycle.State, error) {
	s, err := tx.LockCustomerState(ctx, environmentID, customerID)
	if err != nil {
		return s, err
	}
	whole, err := tx.Invoice(ctx, environmentID, invoiceID) // its currency and its lines, if they do not change
	if err != nil {
		return s, err
	}
	l := loader{ctx: ctx, environmentID: environmentID, State: s}
	l.Currency = whole.Currency
	locked := invoice.Invoice{}
	err = tx.together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err := queries.CreditBalanceLock(ctx, h, dbsqlc.CreditBalanceLockParams{
				EnvironmentID: environmentID, CustomerID: customerID, Currency: whole.Currency,
			})
			l.Balance, l.granted = row.Balance, row.Granted
			return optional(err)
		},
		func(h dbsqlc.DBTX) error {
			row, err := queries.InvoiceLock(ctx, h, dbsqlc.InvoiceLockParams{EnvironmentID: environmentID, ID: invoiceID})
			locked = invoiceFromDB(row.Invoice)
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := queries.InvoiceLineList(ctx, h,
				dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: []string{invoiceID}})
			for _, row := range rows {
				locked.Lines = append(locked.Lines, lineFromDB(row.InvoiceLine, locked))
			}
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := queries.TransactionLockPendingOfInvoice(ctx, h,
				dbsqlc.TransactionLockPendingOfInvoiceParams{EnvironmentID: environmentID, InvoiceID: invoiceID})
			for _, row := range rows {
				l.Pending = append(l.Pending, transactionFromDB(row.Transaction))
			}
			return err
		},
		l.readEnvironment, l.readProvider,
		func(h dbsqlc.DBTX) (err error) {
			l.TaxRates, err = taxRatesOf(ctx, h, environmentID, customerID)
			return err
		})
	if err != nil {
		return lifecycle.State{}, readError("invoice", err)
	}
	switch locked.Status {
	case invoice.InDraft:
		l.Draft = &locked
	case invoice.Open:
		l.Open = []invoice.Invoice{locked}
	default: // nothing is decided about it but what its payments show
	}
	if err := l.loadGrants(tx.Reader); err != nil {
		return lifecycle.State{}, readError("invoice", err)
	}
	l.limit(tx.limits)
	return l.State, nil
}

// TaxRatesOf lists those that may hold for a customer.
func (r Reader) TaxRatesOf(ctx context.Context, environmentID, customerID string) (rates []tax.Definition, err error) {
	rates, err = taxRatesOf(ctx, r.handle, environmentID, customerID)
	return rates, translate("TaxRateListOfCustomer", err)
}

func taxRatesOf(
	ctx context.Context, h dbsqlc.DBTX, environmentID, customerID string,
) (rates []tax.Definition, err error) {
	rows, err := queries.TaxRateListOfCustomer(ctx, h,
		dbsqlc.TaxRateListOfCustomerParams{EnvironmentID: environmentID, CustomerID: customerID})
	for _, row := range rows {
		rates = append(rates, taxRateFromDB(row.TaxRate))
	}
	return rates, err
}

// DueInvoice names an invoice whose time to pay is over, and that no workflow waits for.
type DueInvoice struct {
	Ref
	CustomerID     string
	SubscriptionID string // canceled; empty: a manual invoice
}

// DueInvoices lists invoices in real time that are to be announced as overdue by other than a workflow.
func (r Reader) DueInvoices(ctx context.Context, by time.Time, limit int) ([]DueInvoice, error) {
	since := by.Add(-lifecycle.OverdueNews)
	found, err := queries.InvoiceListOverdue(ctx, r.lists(), dbsqlc.InvoiceListOverdueParams{
		DueBy: &by, LeftSince: &since, RowLimit: limit,
	})
	return refs(found, func(f dbsqlc.InvoiceListOverdueRow) DueInvoice {
		return DueInvoice{Ref{f.EnvironmentID, f.ID}, f.CustomerID, value(f.SubscriptionID)}
	}), translate("InvoiceListOverdue", err)
}

// DueInvoicesOnClock lists the next hundred of the clock's customers that are due by then.
func (r Reader) DueInvoicesOnClock(
	ctx context.Context, environmentID, clockID string, by time.Time,
) ([]DueInvoice, error) {
	found, err := queries.InvoiceListOverdueOnClock(ctx, r.handle, dbsqlc.InvoiceListOverdueOnClockParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by,
	})
	return refs(found, func(f dbsqlc.InvoiceListOverdueOnClockRow) DueInvoice {
		return DueInvoice{Ref{environmentID, f.ID}, f.CustomerID, value(f.SubscriptionID)}
	}), translate("InvoiceListOverdueOnClock", err)
}
