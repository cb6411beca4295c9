package db_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/tax"
	"perennial/db"
)

// take sets fields of a value to those of another one.
func take[T any](to *T, from T, fields ...string) {
	for _, name := range fields {
		reflect.ValueOf(to).Elem().FieldByName(name).Set(reflect.ValueOf(from).FieldByName(name))
	}
}

var (
	// The fields of an invoice that never change.
	ofIdentity = []string{"ID", "CustomerID", "SubscriptionID", "TestClockID", "Reason", "Currency",
		"CreatedAt"}
	// The fields that it gets with its number.
	ofNumber = []string{"Number", "NumberText", "Seller", "Buyer"}
	// The fields that a draft does not have.
	ofIssued = slices.Concat(ofNumber, []string{
		"Status", "CreditApplied", "GrantsUsed", "BroughtForward", "CarriedForward", "Credited", "AmountPaid", "Collection",
		"DueAt", "OverdueAt", "ReplacedBy", "IssuedAt", "PaidAt", "VoidedAt", "UncollectibleAt",
	})
)

func (b *bundle) filledInvoice(t *testing.T, f *filler) invoice.Invoice {
	t.Helper()
	inv := filled[invoice.Invoice](t, f)
	inv.CustomerID = b.customer.ID
	inv.Lines[0].Credited, inv.LinkRevision = 0, 0 // have writers of their own
	inv.Lines[0].Rates = []tax.Rate{inv.Taxes[0].Rate}
	take(&inv, invoice.Invoice{Buyer: b.buyer()}, ofNumber...)
	return inv
}

func (b *bundle) readsInvoice(t *testing.T, want invoice.Invoice) {
	t.Helper()
	got, err := b.store.Invoices.Get(t.Context(), b.env, want.ID)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestEveryField_Invoice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "invoices", "invoice_lines")
	f := &filler{}
	want := b.filledInvoice(t, f)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Insert(ctx, b.env, want)) })
	want.Number = 1
	b.readsInvoice(t, want)

	saved := b.filledInvoice(t, f)
	saved.ID = want.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Save(ctx, b.env, saved)) })
	take(&want, saved, "Status", "CreditApplied", "CarriedForward", "Credited", "AmountDue", "AmountPaid",
		"Collection", "ReplacedBy",
		"PaidAt", "VoidedAt", "UncollectibleAt", "OverdueAt")
	b.readsInvoice(t, want)
}

func TestEveryField_InvoiceDraft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.loosen(t, "invoices", "invoice_lines")
	f := &filler{}
	draft := b.filledInvoice(t, f)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.InsertDraft(ctx, b.env, draft)) })
	unissued := invoice.Invoice{Status: invoice.InDraft, Collection: collection.State{Phase: collection.Waiting}}
	take(&draft, unissued, ofIssued...)
	b.readsInvoice(t, draft)

	saved := b.filledInvoice(t, f)
	saved.ID = draft.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.SaveDraft(ctx, b.env, saved)) })
	take(&saved, draft, slices.Concat(ofIdentity, ofIssued)...)
	b.readsInvoice(t, saved)

	final := b.filledInvoice(t, f)
	take(&final, saved, slices.Concat(ofIdentity, []string{"Lines"})...) // the lines of a subscription's stay
	final.Taxes = append(final.Taxes, saved.Taxes...)                    // with their rates
	buyer := final.Buyer
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Lifecycle.Write(ctx, b.env, lifecycle.State{}, lifecycle.Changes{
			Invoices: lifecycle.InvoiceChanges{{Kind: lifecycle.InvoiceFinalized, Invoice: final}},
		}))
	})
	final.Number, final.Buyer = 1, buyer
	take(&final, saved, "PeriodIndex", "Memo", "Metadata", "Credited", "ReplacedBy", "VoidedAt")
	b.readsInvoice(t, final)
}
