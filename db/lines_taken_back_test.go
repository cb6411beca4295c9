package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db"
	"perennial/internal/id"
)

// takenBack takes two minor units of an invoice back.
func (b *bundle) takenBack(bill invoice.Invoice) (invoice.Invoice, creditnote.Note) {
	l := bill.Lines[0]
	draft := invoice.Draft{Reason: invoice.Update, Period: bill.Period, PeriodIndex: bill.PeriodIndex}
	draft.Lines = []invoice.Line{{
		ID: id.New(id.InvoiceLine, wall), Kind: invoice.ProrationCredit, Description: "Unused time", PlanID: b.plan.ID,
		PriceID: b.plan.Prices[0].ID, ItemID: "si_1", PeriodIndex: bill.PeriodIndex, Reverses: l.ID, Amount: -2,
		Period: bill.Period,
	}}
	back := draft.TakeBack(invoice.Issuing{
		ID: id.New(id.TakenBack, wall), CustomerID: bill.CustomerID, SubscriptionID: bill.SubscriptionID,
		Currency: bill.Currency, Now: now,
	}, invoice.Sums{Subtotal: -2, Total: -2}, bill.ID)
	return back, creditnote.Note{
		ID: id.New(id.CreditNote, wall), InvoiceID: bill.ID, CustomerID: bill.CustomerID, SubscriptionID: bill.SubscriptionID,
		Currency: bill.Currency, Reason: creditnote.OrderChange, Subtotal: 2, Total: 2, Balance: 2, CreatedAt: now,
		Lines: []creditnote.Line{{InvoiceLineID: l.ID, Amount: 2}}, TakenBackBy: back.ID,
	}
}

// Lines that were taken back are read by decisions, behind the invoices, and by nothing else: they are in no list and
// under no id. Their credit note counts by them, and not in addition.
func TestLinesTakenBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	bill := b.openInvoice(t)
	back, note := b.takenBack(bill)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		changes := lifecycle.Changes{At: now, CreditNotes: []creditnote.Note{note}}
		changes.Invoices = lifecycle.InvoiceChanges{{Kind: lifecycle.LinesTakenBack, Invoice: back}}
		require.NoError(t, tx.Lifecycle.Write(ctx, b.env, state, changes))
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NotEmpty(t, state.Paid)
		require.Equal(t, back, state.Paid[len(state.Paid)-1])
	})
	_, err := b.store.Invoices.Get(t.Context(), b.env, back.ID)
	require.ErrorIs(t, err, db.ErrInvoiceNotFound)
	listed, _, err := b.store.Invoices.List(t.Context(), b.env, db.InvoiceFilter{SubscriptionID: bill.SubscriptionID},
		db.Page{Limit: 100, Unsettled: true})
	require.NoError(t, err)
	for _, inv := range listed {
		require.NotEqual(t, back.ID, inv.ID)
		require.NotZero(t, inv.Number)
	}
	read, err := b.store.Invoices.Get(t.Context(), b.env, bill.ID)
	require.NoError(t, err)
	require.Zero(t, read.Lines[0].Credited, "the lines that were taken back bound later notes")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		under, err := tx.Invoices.LockForCredit(ctx, b.env, bill.ID)
		require.NoError(t, err)
		require.Empty(t, under.Given.Notes)
		require.EqualValues(t, 2, under.Given.Reversed[bill.Lines[0].ID])
	})
	_, err = b.pool.Exec(t.Context(), "update invoices set total = 1 where id = $1", back.ID)
	require.Error(t, err)
}
