package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/invoicing"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
)

// Each kind of change changes the row as its name says. Where the decision that issues an invoice also changes it, that
// is a second write of the row, which keeps the number, the seller and the buyer of the first one.
func TestWrite_EachKindOfInvoiceChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft := func() invoice.Invoice {
		made, err := invoicing.New(invoicing.Identity{ID: id.New(id.Invoice, wall), CustomerID: b.customer.ID, Currency: eur},
			invoicing.Content{Lines: aLine("10"), Terms: terms.Terms{Method: terms.Send, NetDays: 3}}, around)
		require.NoError(t, err)
		return made
	}
	write := func(changes ...lifecycle.InvoiceChange) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Lifecycle.Write(ctx, b.env, lifecycle.State{Customer: b.customer},
				lifecycle.Changes{At: now, Invoices: changes}))
		})
	}
	read := func(id string) invoice.Invoice {
		got, err := b.store.Invoices.Get(t.Context(), b.env, id)
		require.NoError(t, err)
		return got
	}
	kept, gone := draft(), draft()
	write(lifecycle.InvoiceChange{Kind: lifecycle.DraftCreated, Invoice: kept},
		lifecycle.InvoiceChange{Kind: lifecycle.DraftCreated, Invoice: gone})
	require.Equal(t, [2]invoice.Invoice{kept, gone}, [2]invoice.Invoice{read(kept.ID), read(gone.ID)})

	revised, err := invoicing.Revise(kept, invoicing.Change{Lines: aLine("7")}, around)
	require.NoError(t, err)
	write(lifecycle.InvoiceChange{Kind: lifecycle.DraftDeleted, Invoice: gone},
		lifecycle.InvoiceChange{Kind: lifecycle.DraftUpdated, Invoice: revised})
	require.Equal(t, revised, read(kept.ID))
	_, err = b.store.Invoices.Get(t.Context(), b.env, gone.ID)
	requireFault(t, err, fault.NotFound, "invoice_not_found")

	out, err := invoicing.Finalize(revised, nil, invoice.Issuing{Now: now})
	require.NoError(t, err)
	require.Equal(t, money.Minor(2100), out.Invoice.AmountDue)
	write(lifecycle.InvoiceChange{Kind: lifecycle.InvoiceFinalized, Invoice: out.Invoice},
		lifecycle.InvoiceChange{Kind: lifecycle.FinalizedAndChanged, Invoice: out.Invoice.Settle(now)})
	got := read(kept.ID)
	require.Equal(t, [3]any{invoice.Paid, int64(1), b.buyer()},
		[3]any{got.Status, got.Number, got.Buyer})
	require.NotEmpty(t, got.ShownNumber())
}
