package db

import (
	"context"
	"errors"
	"slices"

	"perennial/billing/invoice"
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

// Invoice reads one with its lines. Fault: invoice_not_found.
func (r Reader) Invoice(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
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
	inv := invoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, inv))
	}
	return inv, nil
}

// InvoiceWithKey reads key and invoice in one round trip. Faults: api_key_unknown; invoice_not_found, with the key.
func (r Reader) InvoiceWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, invoice.Invoice, error) {
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
	inv := invoiceFromDB(row.Invoice)
	for _, l := range lines {
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, inv))
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), inv, nil
}

// Invoices lists an environment's, with their lines.
func (r Reader) Invoices(
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
		return invoiceFromDB(row.Invoice)
	})
	return invoices, hasMore, addLines(ctx, r.Reader, environmentID, invoices)
}

// addLines reads the lines of invoices.
func addLines(ctx context.Context, r core.Reader, environmentID string, invoices []invoice.Invoice) error {
	ids := make([]string, 0, len(invoices))
	byInvoice := make(map[string]*invoice.Invoice, len(invoices))
	for i := range invoices {
		ids, byInvoice[invoices[i].ID] = append(ids, invoices[i].ID), &invoices[i]
	}
	lines, err := core.Queries.InvoiceLineList(ctx, r.Handle,
		dbsqlc.InvoiceLineListParams{EnvironmentID: environmentID, InvoiceIds: ids})
	for _, l := range lines {
		inv := byInvoice[l.InvoiceLine.InvoiceID]
		inv.Lines = append(inv.Lines, lineFromDB(l.InvoiceLine, *inv))
	}
	return core.Translate("InvoiceLineList", err)
}

// LockInvoice reads one, without lines, that nobody else may change until the transaction ends.
// Fault: invoice_not_found.
func (tx *Tx) LockInvoice(ctx context.Context, environmentID, id string) (invoice.Invoice, error) {
	row, err := core.Queries.InvoiceLock(ctx, tx.Pipe, dbsqlc.InvoiceLockParams{EnvironmentID: environmentID, ID: id})
	return invoiceFromDB(row.Invoice), core.ReadError("invoice", err)
}

// InsertInvoice writes a new invoice and its lines, which have IDs. The invoice gets its number when the
// transaction commits; until then reads of this transaction do not see it, and rows may refer to it.
func (tx *Tx) InsertInvoice(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	if err := tx.insertLines(ctx, environmentID, inv); err != nil {
		return err
	}
	tx.Unnumbered = append(tx.Unnumbered, core.NewInvoice{EnvironmentID: environmentID, Invoice: inv})
	return nil
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

// insertInvoice sends what InsertInvoice remembered.
func (tx *Tx) insertInvoice(ctx context.Context, n core.NewInvoice) error {
	row := invoiceRow(n.EnvironmentID, n.Invoice)
	return rows.InvoiceInsert.Exec(ctx, tx.Pipe.OrElse(errNoCounter), &row)
}

var errNoCounter = errors.New("the environment has no invoice counter")

// SaveInvoice writes what may change: status, collection and amounts. It may be one that this transaction inserts.
// Faults: invoice_not_found; invoice_final, when it would leave paid or void, or leave uncollectible but for paid.
func (tx *Tx) SaveInvoice(ctx context.Context, environmentID string, inv invoice.Invoice) error {
	isNew := func(n core.NewInvoice) bool { return n.EnvironmentID == environmentID && n.Invoice.ID == inv.ID }
	if i := slices.IndexFunc(tx.Unnumbered, isNew); i >= 0 {
		tx.Unnumbered[i].Invoice = inv
		return nil
	}
	row := invoiceRow(environmentID, inv)
	return rows.InvoiceUpdate.Exec(ctx, tx.Pipe.OrElse(core.NotFound("invoice")), &row)
}
