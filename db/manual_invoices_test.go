package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoicing"
	"perennial/billing/money"
	"perennial/billing/terms"
	"perennial/db"
	"perennial/internal/id"
)

var around = invoicing.Around{LineID: func(int) string { return id.New(id.InvoiceLine, wall) }, Now: now}

func aLine(price string) []invoicing.Line {
	d, err := money.ParseDecimal(price)
	if err != nil {
		panic(err)
	}
	return []invoicing.Line{{Description: "Work", UnitPrice: d, Quantity: money.Whole(3)}}
}

// dueInvoice is a manual invoice on the clock that was sent.
func (b *bundle) dueInvoice(t *testing.T) {
	t.Helper()
	draft, err := invoicing.New(invoicing.Identity{
		ID: id.New(id.Invoice, wall), CustomerID: b.customer.ID, TestClockID: b.clock.ID, Currency: "EUR",
	}, invoicing.Content{Lines: aLine("10"), Terms: terms.Terms{Method: terms.Send}}, around)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.InsertDraft(ctx, b.env, draft)) })
	_, err = b.pool.Exec(t.Context(), `update invoices set status = 'open', number = 1000, issued_at = $2, due_at = $2
		where id = $1`, draft.ID, now)
	require.NoError(t, err)
}

// A draft comes back as it was written, is replaced and deleted; issued, neither it nor its lines are touched any more.
func TestDraft_ReplacedDeletedAndGuarded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draft, err := invoicing.New(
		invoicing.Identity{ID: id.New(id.Invoice, wall), CustomerID: b.customer.ID, Currency: "EUR"},
		invoicing.Content{Lines: aLine("10"), Terms: terms.Terms{Method: terms.Send, NetDays: 3}}, around)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.InsertDraft(ctx, b.env, draft)) })
	got, err := b.store.Invoices.Get(t.Context(), b.env, draft.ID)
	require.NoError(t, err)
	require.Equal(t, draft, got)

	days := 5
	draft, err = invoicing.Revise(draft, invoicing.Change{Lines: aLine("7"), NetDays: &days}, around)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.SaveDraft(ctx, b.env, draft)) })
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockManualInvoice(ctx, b.env, b.customer.ID, draft.ID)
		require.NoError(t, err)
		require.Equal(t, draft, *state.Draft)
		require.Empty(t, state.Open)
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.DeleteDraft(ctx, b.env, draft.ID))
	})
	require.Zero(t, b.count(t, "select count(*) from invoices")+b.count(t, "select count(*) from invoice_lines"))

	open := b.openInvoice(t)
	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.SaveDraft(ctx, b.env, open) })
	require.Error(t, err)
	for _, sql := range []string{"delete from invoice_lines", "delete from invoices"} {
		_, err = b.pool.Exec(t.Context(), sql)
		requireSQLState(t, err, "PB003")
	}
	_, err = b.pool.Exec(t.Context(), "update invoices set status = 'draft', number = null, issued_at = null")
	requireSQLState(t, err, "PB005")
}
