package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/db"
)

// Rows by the rules of migration 15 read as they were written, and the guards allow only such rows.
func TestInvoiceRoundTrip_CarriedAndGivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.invoice()
	inv.Collection = collection.State{Phase: collection.Waiting}
	inv.BroughtForward, inv.CarriedForward = 40, 7
	inv.AmountDue += 33
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv))
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: -7, Reason: invoice.CreditCarriedForward}, inv.ID, now))
	})
	given, err := inv.WriteOff(false, now)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Save(ctx, b.env, given)) })

	state := b.state(t)

	require.EqualValues(t, -7, state.Balance, "a debit")
	require.Empty(t, state.Open)
	require.Len(t, state.WrittenOff, 1)
	require.Equal(t, invoice.Uncollectible, state.WrittenOff[0].Status)
	require.EqualValues(t, 40, state.WrittenOff[0].BroughtForward)
	require.EqualValues(t, 7, state.WrittenOff[0].CarriedForward)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.Save(ctx, b.env, given.Settle(now)))
	})
	require.Len(t, b.state(t).Paid, 1)
}

func (b *bundle) state(t *testing.T) lifecycle.State {
	t.Helper()
	var out lifecycle.State
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		out, err = tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
	})
	return out
}
