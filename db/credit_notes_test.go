package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/db"
	"perennial/internal/id"
)

// buyer is the customer as documents show it.
func (b *bundle) buyer() invoice.Buyer {
	return invoice.Buyer{Name: b.customer.Name, Email: b.customer.Email, Phone: b.customer.Phone}
}

// creditNote gives one minor unit of an open invoice's first line back.
func (b *bundle) creditNote(inv invoice.Invoice) creditnote.Note {
	return creditnote.Note{
		ID: id.New(id.CreditNote, wall), InvoiceID: inv.ID, CustomerID: inv.CustomerID, SubscriptionID: inv.SubscriptionID,
		Currency: inv.Currency, Reason: creditnote.Goodwill, Memo: "sorry", Subtotal: 1, Total: 1, Due: 1, CreatedAt: now,
		Lines: []creditnote.Line{{InvoiceLineID: inv.Lines[0].ID, Amount: 1}},
	}
}

// The tables enforce the rules too: no writer gives more back than was billed, or changes what was given.
func TestCreditNotes_BoundedByTheTables(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	note := b.creditNote(inv)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.InsertCreditNote(ctx, b.env, &note))
	})
	require.EqualValues(t, 1, note.Number)
	notes, _, err := b.store.Invoices.CreditNotes(t.Context(), b.env, db.CreditNoteFilter{InvoiceID: inv.ID},
		db.Page{Limit: 10})
	require.NoError(t, err)
	note.Seller, note.Buyer, note.TaxExempt = inv.Seller, b.buyer(), inv.TaxExempt // of its invoice
	require.Equal(t, []creditnote.Note{note}, notes)
	read, err := b.store.Invoices.Get(t.Context(), b.env, inv.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, read.Lines[0].Credited)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		read.Credited = invoice.Credited{Total: 4, Tax: 2, Due: 1, Refund: 3}
		read.AmountDue--
		require.NoError(t, tx.Invoices.Save(ctx, b.env, read))
	})
	saved, err := b.store.Invoices.Get(t.Context(), b.env, inv.ID)
	require.NoError(t, err)
	require.Equal(t, read, saved)
	for _, sql := range []string{
		"update credit_notes set total = 2, due = 2, subtotal = 2", "update credit_notes set memo = 'other'",
		"delete from credit_notes", "update credit_note_lines set amount = 2", "delete from credit_note_lines",
		"update invoice_lines set credited = amount + 1", "update invoice_lines set credited = -1",
		"update invoices set credited = total + 1", "update invoices set carried_forward = 1, amount_due = amount_due - 1",
	} {
		_, err := b.pool.Exec(t.Context(), sql)
		require.Error(t, err, sql)
	}
}
