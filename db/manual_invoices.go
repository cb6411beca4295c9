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
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// Manual invoices (ADR 47) and drafts, which have no number, those of subscriptions (ADR 62) too; and what is locked to
// decide about a manual one.

// InsertDraft writes a new draft with its lines.
func (tx *Tx) InsertDraft(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	row := invoiceRow(environmentID, inv)
	if err := rows.InvoiceDraftInsert.Exec(ctx, tx.Pipe, &row); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, inv)
}

// SaveDraft replaces what a draft says. Fault: invoice_not_draft.
func (tx *Tx) SaveDraft(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	row := invoiceRow(environmentID, inv)
	if err := rows.InvoiceDraftUpdate.Exec(ctx, tx.Pipe.OrElse(invoicing.ErrNotDraft), &row); err != nil {
		return err
	}
	return tx.replaceLines(ctx, environmentID, inv)
}

// DeleteDraft removes a draft. Fault: invoice_not_draft.
func (tx *Tx) DeleteDraft(ctx context.Context, environmentID, id string) error {
	if err := tx.deleteLines(ctx, environmentID, id); err != nil {
		return err
	}
	return core.Queries.InvoiceDraftDelete(ctx, tx.Pipe.OrElse(invoicing.ErrNotDraft),
		dbsqlc.InvoiceDraftDeleteParams{EnvironmentID: environmentID, ID: id})
}

func (tx *Tx) replaceLines(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	if err := tx.deleteLines(ctx, environmentID, inv.ID); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, inv)
}

func (tx *Tx) deleteLines(ctx context.Context, environmentID, invoiceID string) error {
	return core.Queries.InvoiceLineDeleteOfDraft(ctx, tx.Pipe,
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
	if err := tx.BeforeCounters(ctx); err != nil {
		return err
	}
	row := invoiceRow(environmentID, *inv)
	err := rows.InvoiceFinalize.QueryRow(ctx, tx.Pipe, &row).Scan(&row.Number, &row.NumberText, &row.Seller, &row.Buyer)
	if errors.Is(err, pgx.ErrNoRows) { // the draft is locked, so that it is there
		return errNoCounter
	}
	inv.Number, inv.NumberText, inv.Seller, inv.Buyer =
		core.Value(row.Number), core.Value(row.NumberText), core.Value(row.Seller), core.Value(row.Buyer)
	return core.Translate("InvoiceFinalize", err)
}

// LockManualInvoice is the State of a manual invoice: its customer, who is locked, the invoice as draft or as the open
// one, its pending charge, the customer's balance in its currency and what else a decision depends on. An invoice that
// is neither leaves both empty. Faults: customer_not_found, invoice_not_found.
func (tx *Tx) LockManualInvoice(
	ctx context.Context, environmentID, customerID, invoiceID string,
) (lifecycle.State, error) {
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
			locked = invoiceFromDB(row.Invoice)
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := core.Queries.InvoiceLineList(ctx, h,
				dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: []string{invoiceID}})
			for _, row := range rows {
				locked.Lines = append(locked.Lines, lineFromDB(row.InvoiceLine, locked))
			}
			return err
		},
		func(h dbsqlc.DBTX) error {
			rows, err := core.Queries.TransactionLockPendingOfInvoice(ctx, h,
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
	l.limit(tx.Limits)
	return l.State, nil
}

// TaxRatesOf lists those that may hold for a customer.
func (r Reader) TaxRatesOf(ctx context.Context, environmentID, customerID string) (rates []tax.Definition, err error) {
	rates, err = taxRatesOf(ctx, r.Handle, environmentID, customerID)
	return rates, core.Translate("TaxRateListOfCustomer", err)
}

func taxRatesOf(
	ctx context.Context, h dbsqlc.DBTX, environmentID, customerID string,
) (rates []tax.Definition, err error) {
	rows, err := core.Queries.TaxRateListOfCustomer(ctx, h,
		dbsqlc.TaxRateListOfCustomerParams{EnvironmentID: environmentID, CustomerID: customerID})
	for _, row := range rows {
		rates = append(rates, taxRateFromDB(row.TaxRate))
	}
	return rates, err
}

// DueInvoice names an invoice whose time to pay is over, and that no workflow waits for.
type DueInvoice struct {
	core.Ref
	CustomerID     string
	SubscriptionID string // canceled; empty: a manual invoice
}

// DueInvoices lists invoices in real time that are to be announced as overdue by other than a workflow.
func (r Reader) DueInvoices(ctx context.Context, by time.Time, limit int) ([]DueInvoice, error) {
	since := by.Add(-lifecycle.OverdueNews)
	found, err := core.Queries.InvoiceListOverdue(ctx, r.Lists(), dbsqlc.InvoiceListOverdueParams{
		DueBy: &by, LeftSince: &since, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.InvoiceListOverdueRow) DueInvoice {
		return DueInvoice{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.CustomerID, core.Value(f.SubscriptionID)}
	}), core.Translate("InvoiceListOverdue", err)
}

// DueInvoicesOnClock lists the next hundred of the clock's customers that are due by then.
func (r Reader) DueInvoicesOnClock(
	ctx context.Context, environmentID, clockID string, by time.Time,
) ([]DueInvoice, error) {
	found, err := core.Queries.InvoiceListOverdueOnClock(ctx, r.Handle, dbsqlc.InvoiceListOverdueOnClockParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by,
	})
	return core.Map(found, func(f dbsqlc.InvoiceListOverdueOnClockRow) DueInvoice {
		return DueInvoice{core.Ref{EnvironmentID: environmentID, ID: f.ID}, f.CustomerID, core.Value(f.SubscriptionID)}
	}), core.Translate("InvoiceListOverdueOnClock", err)
}
