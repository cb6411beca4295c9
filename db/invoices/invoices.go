package invoices

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// InvoiceFilter narrows a list; empty: any.
type InvoiceFilter struct {
	CustomerID     string
	SubscriptionID string
	Status         invoice.Status
}

// Get reads one with its lines. Fault: invoice_not_found.
func (r Reader) Get(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
	var row dbsqlc.InvoiceGetRow
	var lines []dbsqlc.InvoiceLineListRow
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = core.Queries.InvoiceGet(ctx, h, dbsqlc.InvoiceGetParams{EnvironmentID: environmentID, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			lines, err = core.Queries.InvoiceLineList(ctx, h,
				dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: []string{id}})
			return err
		})
	if err != nil {
		return invoice.Invoice{}, core.ReadError("invoice", err)
	}
	inv := InvoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, LineFromDB(l.InvoiceLine, inv))
	}
	return inv, nil
}

// EnvironmentOf finds where an invoice is. Global: an operator names it by its id. Fault: invoice_not_found.
func (r Reader) EnvironmentOf(ctx context.Context, id string) (string, error) {
	environmentID, err := core.Queries.InvoiceGetEnvironment(ctx, r.Handle, id)
	return environmentID, core.ReadError("invoice", err)
}

// GetWithKey reads key and invoice in one round trip. Faults: api_key_unknown; invoice_not_found, with the key.
func (r Reader) GetWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, invoice.Invoice, error) {
	var row dbsqlc.InvoiceGetWithKeyRow
	var lines []dbsqlc.InvoiceLineListWithKeyRow
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = core.Queries.InvoiceGetWithKey(ctx, h, dbsqlc.InvoiceGetWithKeyParams{Hash: hash, ID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			lines, err = core.Queries.InvoiceLineListWithKey(ctx, h,
				dbsqlc.InvoiceLineListWithKeyParams{Hash: hash, InvoiceID: id})
			return err
		})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "invoice", err)
		return key, invoice.Invoice{}, err
	}
	inv := InvoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, LineFromDB(l.InvoiceLine, inv))
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), inv, nil
}

// List lists an environment's, with their lines.
func (r Reader) List(
	ctx context.Context, environmentID string, f InvoiceFilter, page core.Page,
) (invoices []invoice.Invoice, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.InvoiceList(ctx, r.Lists(), dbsqlc.InvoiceListParams{
		EnvironmentID: environmentID, CustomerID: core.Null(f.CustomerID), SubscriptionID: core.Null(f.SubscriptionID),
		Status: core.Null(string(f.Status)), Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("InvoiceList", err)
	}
	invoices, hasMore = core.Cut(page, rows, func(row dbsqlc.InvoiceListRow) invoice.Invoice {
		return InvoiceFromDB(row.Invoice)
	})
	return invoices, hasMore, AddLines(ctx, r.Reader, environmentID, invoices)
}

// AddLines reads the lines of invoices.
func AddLines(ctx context.Context, r core.Reader, environmentID string, invoices []invoice.Invoice) error {
	ids := make([]string, 0, len(invoices))
	byInvoice := make(map[string]*invoice.Invoice, len(invoices))
	for i := range invoices {
		ids, byInvoice[invoices[i].ID] = append(ids, invoices[i].ID), &invoices[i]
	}
	lines, err := core.Queries.InvoiceLineList(ctx, r.Handle,
		dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: ids})
	for _, l := range lines {
		inv := byInvoice[l.InvoiceLine.InvoiceID]
		inv.Lines = append(inv.Lines, LineFromDB(l.InvoiceLine, *inv))
	}
	return core.Translate("InvoiceLineList", err)
}

// Lock reads one, without lines, that no other transaction may change until this one ends. Fault: invoice_not_found.
func (tx *Tx) Lock(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
	row, err := core.Queries.InvoiceLock(ctx, tx.Pipe, dbsqlc.InvoiceLockParams{EnvironmentID: environmentID, ID: id})
	return InvoiceFromDB(row.Invoice), core.ReadError("invoice", err)
}

// Insert writes a new invoice and its lines, which have IDs. The invoice gets its number when the
// transaction commits; until then reads of this transaction do not see it, and rows may refer to it.
func (tx *Tx) Insert(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	if err := tx.insertLines(ctx, environmentID, inv); err != nil {
		return err
	}
	tx.Unnumbered = append(tx.Unnumbered, core.NewInvoice{EnvironmentID: environmentID, Invoice: inv})
	return nil
}

// InsertTakenBack writes lines that were taken back.
func (tx *Tx) InsertTakenBack(ctx context.Context, environmentID string, back invoice.Invoice) error {
	row := invoiceRow(environmentID, back)
	if err := rows.InvoiceTakenBackInsert.Exec(ctx, tx.Pipe, &row); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, back)
}

func (tx *Tx) insertLines(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	for i, l := range inv.Lines {
		row := lineRow(environmentID, inv.ID, i, l)
		if err := rows.InvoiceLineInsert.Exec(ctx, tx.Pipe, &row); err != nil {
			return err
		}
	}
	return nil
}

// Send sends what Insert remembered.
func (tx *Tx) Send(ctx context.Context, n core.NewInvoice) error {
	row := invoiceRow(n.EnvironmentID, n.Invoice)
	return rows.InvoiceInsert.Exec(ctx, tx.Pipe.OrElse(errNoCounter), &row)
}

var errNoCounter = errors.New("the environment has no invoice counter")

// Save writes the fields that may change: status, collection and amounts. The invoice may be one that this transaction
// inserts. Faults: invoice_not_found; invoice_final, when it would leave paid or void, or leave uncollectible other
// than for paid.
func (tx *Tx) Save(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	isNew := func(n core.NewInvoice) bool { return n.EnvironmentID == environmentID && n.Invoice.ID == inv.ID }
	if i := slices.IndexFunc(tx.Unnumbered, isNew); i >= 0 {
		tx.Unnumbered[i].Invoice = inv
		return nil
	}
	row := invoiceRow(environmentID, inv)
	return rows.InvoiceUpdate.Exec(ctx, tx.Pipe.OrElse(core.NotFound("invoice")), &row)
}

// Manual invoices (ADR 47) and drafts, which have no number, including those of subscriptions (ADR 62); and the locks
// for decisions about a manual invoice.

// InsertDraft writes a new draft with its lines.
func (tx *Tx) InsertDraft(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	row := invoiceRow(environmentID, inv)
	if err := rows.InvoiceDraftInsert.Exec(ctx, tx.Pipe, &row); err != nil {
		return err
	}
	return tx.insertLines(ctx, environmentID, inv)
}

// SaveDraft replaces the contents of a draft. Fault: invoice_not_draft.
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

// Finalize makes a draft an invoice and sets its number, the seller and the buyer. The environment's counter stays
// locked from here to the commit.
func (tx *Tx) Finalize(ctx context.Context, environmentID string, inv *invoice.Invoice) error {
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

// DueInvoice names an invoice whose time to pay is over, and that no workflow waits for.
type DueInvoice struct {
	core.Ref
	CustomerID     string
	SubscriptionID string // canceled; empty: a manual invoice
}

// Due lists invoices in real time that are to be announced as overdue by other than a workflow.
func (r Reader) Due(ctx context.Context, by time.Time, limit int) ([]DueInvoice, error) {
	since := by.Add(-lifecycle.OverdueNews)
	found, err := core.Queries.InvoiceListOverdue(ctx, r.Lists(), dbsqlc.InvoiceListOverdueParams{
		DueBy: &by, LeftSince: &since, RowLimit: limit,
	})
	return core.Map(found, func(f dbsqlc.InvoiceListOverdueRow) DueInvoice {
		return DueInvoice{core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}, f.CustomerID, core.Value(f.SubscriptionID)}
	}), core.Translate("InvoiceListOverdue", err)
}

// DueOnClock lists the next hundred of the clock's customers that are due by then.
func (r Reader) DueOnClock(
	ctx context.Context, environmentID, clockID string, by time.Time,
) ([]DueInvoice, error) {
	found, err := core.Queries.InvoiceListOverdueOnClock(ctx, r.Handle, dbsqlc.InvoiceListOverdueOnClockParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueBy: &by,
	})
	return core.Map(found, func(f dbsqlc.InvoiceListOverdueOnClockRow) DueInvoice {
		return DueInvoice{core.Ref{EnvironmentID: environmentID, ID: f.ID}, f.CustomerID, core.Value(f.SubscriptionID)}
	}), core.Translate("InvoiceListOverdueOnClock", err)
}
