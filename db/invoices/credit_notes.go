package invoices

import (
	"context"

	"perennial/billing/balance"
	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
	"perennial/db/core"
	"perennial/db/customers"
	"perennial/db/internal/dbsqlc"
)

// CreditNoteFilter narrows a list; empty: any.
type CreditNoteFilter struct {
	CustomerID string
	InvoiceID  string
}

// CreditNote reads one, with its lines. Fault: credit_note_not_found.
func (r Reader) CreditNote(ctx context.Context, environmentID, id string) (creditnote.Note, error) {
	row, err := core.Queries.CreditNoteGet(ctx, r.Handle,
		dbsqlc.CreditNoteGetParams{EnvironmentID: environmentID, ID: id})
	if err != nil {
		return creditnote.Note{}, core.ReadError("credit_note", err)
	}
	notes := []creditnote.Note{withParties(creditNoteFromDB(row.CreditNote), row.Seller, row.Buyer, row.TaxExempt)}
	err = r.readCreditLines(ctx, environmentID, notes)
	return notes[0], err
}

// CreditNoteWithKey reads key and credit note. Faults: api_key_unknown; credit_note_not_found, with the key.
func (r Reader) CreditNoteWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, creditnote.Note, error) {
	row, err := core.Queries.CreditNoteGetWithKey(ctx, r.Handle, dbsqlc.CreditNoteGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "credit_note", err)
		return key, creditnote.Note{}, err
	}
	notes := []creditnote.Note{withParties(creditNoteFromDB(row.CreditNote), row.Seller, row.Buyer, row.TaxExempt)}
	err = r.readCreditLines(ctx, row.CreditNote.EnvironmentID, notes)
	return core.APIKeyFromDB(row.ApiKeyDetail), notes[0], err
}

// CreditNotes lists an environment's, with their lines.
func (r Reader) CreditNotes(
	ctx context.Context, environmentID string, f CreditNoteFilter, page core.Page,
) (notes []creditnote.Note, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.CreditNoteList(ctx, r.Lists(), dbsqlc.CreditNoteListParams{
		EnvironmentID: environmentID, CustomerID: core.Null(f.CustomerID), InvoiceID: core.Null(f.InvoiceID),
		Below: span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("CreditNoteList", err)
	}
	notes, hasMore = core.Cut(page, rows, func(row dbsqlc.CreditNoteListRow) creditnote.Note {
		return withParties(creditNoteFromDB(row.CreditNote), row.Seller, row.Buyer, row.TaxExempt)
	})
	return notes, hasMore, r.readCreditLines(ctx, environmentID, notes)
}

// readCreditLines adds the lines of notes to them.
func (r Reader) readCreditLines(ctx context.Context, environmentID string, notes []creditnote.Note) error {
	if len(notes) == 0 {
		return nil
	}
	at, ids := make(map[string]int, len(notes)), make([]string, len(notes))
	for i, n := range notes {
		at[n.ID], ids[i] = i, n.ID
	}
	rows, err := core.Queries.CreditNoteLineList(ctx, r.Handle,
		dbsqlc.CreditNoteLineListParams{EnvironmentID: environmentID, CreditNoteIds: ids})
	for _, row := range rows {
		n := &notes[at[row.CreditNoteLine.CreditNoteID]]
		n.Lines = append(n.Lines, creditnote.Line{
			InvoiceLineID: row.CreditNoteLine.InvoiceLineID, Amount: row.CreditNoteLine.Amount,
		})
	}
	return core.Translate("CreditNoteLineList", err)
}

// LockForCredit reads, under lock, the facts that a credit note of an invoice depends on besides the State of its
// subscription: the invoice with its lines, earlier credits, and the charge that settled it. Fault: invoice_not_found.
func (tx *Tx) LockForCredit(
	ctx context.Context, environmentID, invoiceID string,
) (c lifecycle.CreditInvoice, err error) {
	if c.Invoice, err = tx.Lock(ctx, environmentID, invoiceID); err != nil {
		return c, err
	}
	whole, err := tx.Get(ctx, environmentID, invoiceID)
	if err != nil {
		return c, err
	}
	c.Invoice = whole
	if c.Given, err = tx.given(ctx, environmentID, whole); err != nil {
		return c, err
	}
	if len(whole.GrantsUsed) > 0 {
		if c.Grants, err = customers.GrantsOf(ctx, tx.Reads(), environmentID, whole); err != nil {
			return c, err
		}
		if c.Given.ToGrants, err = tx.notedToGrants(ctx, environmentID, whole); err != nil {
			return c, err
		}
	}
	captures, err := tx.payments.LockCapturesOf(ctx, environmentID, []string{invoiceID})
	if charge, ok := captures[invoiceID]; ok {
		c.Charge = &charge
	}
	return c, err
}

// TakenBack reports whether later documents that no person asked for gave a part of an invoice back. The invoice is
// locked.
func (tx *Tx) TakenBack(ctx context.Context, environmentID string, inv invoice.Invoice) (bool, error) {
	given, err := tx.given(ctx, environmentID, inv)
	return given.TakenBack(inv), err
}

// given returns the earlier credits of an invoice, which is locked.
func (r Reader) given(ctx context.Context, environmentID string, inv invoice.Invoice) (creditnote.Given, error) {
	out := creditnote.Given{Reversed: map[string]money.Minor{}}
	rows, err := core.Queries.CreditNoteListOfInvoice(ctx, r.Handle,
		dbsqlc.CreditNoteListOfInvoiceParams{EnvironmentID: environmentID, InvoiceID: inv.ID})
	if err != nil {
		return out, core.Translate("CreditNoteListOfInvoice", err)
	}
	for _, row := range rows {
		out.Notes = append(out.Notes, creditNoteFromDB(row.CreditNote))
	}
	if err := r.readCreditLines(ctx, environmentID, out.Notes); err != nil {
		return out, err
	}
	ids := make([]string, len(inv.Lines))
	for i, l := range inv.Lines {
		ids[i] = l.ID
	}
	reversed, err := core.Queries.InvoiceLineListReversing(ctx, r.Handle,
		dbsqlc.InvoiceLineListReversingParams{EnvironmentID: environmentID, LineIds: ids})
	for _, row := range reversed {
		out.Reversed[row.LineID] = money.Minor(row.Amount)
	}
	if err != nil {
		return out, core.Translate("InvoiceLineListReversing", err)
	}
	usage, err := r.used(ctx, environmentID, inv)
	out.Corrected = creditnote.Corrected(inv, usage)
	return out, err
}

// used returns the invoices, but void ones, that bill the usage which an invoice bills, in the order of issue, with
// these lines.
func (r Reader) used(
	ctx context.Context, environmentID string, inv invoice.Invoice,
) (usage []invoice.Invoice, err error) {
	in := dbsqlc.InvoiceLineListUsedParams{EnvironmentID: environmentID, SubscriptionID: core.Null(inv.SubscriptionID)}
	for _, l := range inv.Lines {
		if l.Kind == invoice.Metered {
			in.PriceIds, in.Starts = append(in.PriceIds, l.PriceID), append(in.Starts, l.Period.Start)
		}
	}
	if len(in.Starts) == 0 {
		return nil, nil
	}
	rows, err := core.Queries.InvoiceLineListUsed(ctx, r.Handle, in)
	for _, row := range rows {
		if len(usage) == 0 || usage[len(usage)-1].ID != row.InvoiceID {
			usage = append(usage, invoice.Invoice{ID: row.InvoiceID, Status: row.Status})
		}
		of := &usage[len(usage)-1]
		of.Lines = append(of.Lines, invoice.Line{
			ID: row.ID, Kind: invoice.Metered, PriceID: row.PriceID, Amount: row.Amount, Credited: row.Credited,
			Discounts: core.Value(row.Discounts), Period: period.Period{Start: row.PeriodStart},
		})
	}
	return usage, core.Translate("InvoiceLineListUsed", err)
}

// notedToGrants returns what credit notes of an invoice gave back to the grants that had paid it.
func (r Reader) notedToGrants(
	ctx context.Context, environmentID string, inv invoice.Invoice,
) (uses balance.Uses, err error) {
	rows, err := core.Queries.CreditEntrySumNotedToGrants(ctx, r.Handle, dbsqlc.CreditEntrySumNotedToGrantsParams{
		EnvironmentID: environmentID, CustomerID: inv.CustomerID, InvoiceID: &inv.ID,
	})
	for _, row := range rows {
		uses = append(uses, balance.Use{ID: row.GrantID, Amount: money.Minor(row.Amount)})
	}
	return uses, core.Translate("CreditEntrySumNotedToGrants", err)
}

// InsertCreditNote writes a credit note, books it on the lines of its invoice, and gives it its number. The
// environment's counter stays locked from here to the commit, so that this comes last.
func (tx *Tx) InsertCreditNote(ctx context.Context, environmentID string, n *creditnote.Note) error {
	for _, l := range n.Lines {
		if n.TakenBackBy != "" { // the lines that took it back are written: they count, not the note
			break
		}
		err := core.Queries.InvoiceLineCredit(ctx, tx.Pipe.OrElse(core.NotFound("invoice")), dbsqlc.InvoiceLineCreditParams{
			EnvironmentID: environmentID, InvoiceID: n.InvoiceID, ID: l.InvoiceLineID, Amount: int64(l.Amount),
		})
		if err != nil {
			return err
		}
	}
	if err := tx.BeforeCounters(ctx); err != nil {
		return err
	}
	number, err := core.Queries.CreditNoteNumber(ctx, tx.Pipe, environmentID)
	if err != nil {
		return core.Translate("CreditNoteNumber", err)
	}
	n.Number = number
	err = core.Queries.CreditNoteInsert(ctx, tx.Pipe, dbsqlc.CreditNoteInsertParams{
		ID: n.ID, EnvironmentID: environmentID, Number: n.Number, InvoiceID: n.InvoiceID, CustomerID: n.CustomerID,
		SubscriptionID: core.Null(n.SubscriptionID), Currency: n.Currency, Reason: n.Reason, Memo: core.Null(n.Memo),
		Subtotal: n.Subtotal, Tax: n.Tax, Taxes: core.NullList(n.Taxes), Total: n.Total, Due: n.Due, Balance: n.Balance,
		Refund: n.Refund, RefundID: core.Null(n.RefundID),
		TakenBackBy: core.Null(n.TakenBackBy), CreatedAt: n.CreatedAt,
	})
	for i, l := range n.Lines {
		if err == nil {
			err = core.Queries.CreditNoteLineInsert(ctx, tx.Pipe, dbsqlc.CreditNoteLineInsertParams{
				EnvironmentID: environmentID, CreditNoteID: n.ID, Position: i, InvoiceLineID: l.InvoiceLineID, Amount: l.Amount,
			})
		}
	}
	return err
}

// NotesOf returns the credit notes of rows, with their lines and without the parties of their invoices.
func NotesOf(
	ctx context.Context, r core.Reader, environmentID string, rows []dbsqlc.CreditNote,
) ([]creditnote.Note, error) {
	notes := core.Map(rows, creditNoteFromDB)
	return notes, Reader{Reader: r}.readCreditLines(ctx, environmentID, notes)
}

func creditNoteFromDB(row dbsqlc.CreditNote) creditnote.Note {
	return creditnote.Note{
		ID: row.ID, Number: row.Number, InvoiceID: row.InvoiceID, CustomerID: row.CustomerID,
		SubscriptionID: core.Value(row.SubscriptionID), Currency: row.Currency, Reason: row.Reason,
		Memo:     core.Value(row.Memo),
		Subtotal: row.Subtotal, Tax: row.Tax, Taxes: core.Value(row.Taxes), Total: row.Total, Due: row.Due,
		Balance: row.Balance,
		Refund:  row.Refund, RefundID: core.Value(row.RefundID),
		TakenBackBy: core.Value(row.TakenBackBy), CreatedAt: row.CreatedAt,
	}
}

// withParties adds what a note has of its invoice.
func withParties(
	n creditnote.Note, seller *invoice.Seller, buyer *invoice.Buyer, exempt *tax.Exemption,
) creditnote.Note {
	n.Seller, n.Buyer, n.TaxExempt = core.Value(seller), core.Value(buyer), core.Value(exempt)
	return n
}
