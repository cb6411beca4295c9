package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
)

func load(t *testing.T, b *bundle, lock bool) db.Bundle {
	t.Helper()
	var loaded db.Bundle
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		loaded, err = tx.LoadSubscription(ctx, b.env, b.subscription.ID, lock)
		require.NoError(t, err)
	})
	return loaded
}

func TestBundleOfANewSubscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	loaded := load(t, b, true)
	require.Equal(t, load(t, b, false), loaded)
	provider, err := b.store.ProviderConfig(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, db.Bundle{
		Subscription: b.subscription, Customer: b.customer, Plan: b.plan, Settings: newEnvironment(b.environment).Settings,
		TestClock: &b.clock, Provider: &provider,
	}, loaded)
}

func TestBundleOfABusySubscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pendingPlan := newPlan()
	open := []invoice.Invoice{b.invoice(), b.invoice()}
	open[1].Collection = collection.State{Phase: collection.Waiting}
	paid, earlier, later, void := b.invoice().Settle(now), b.invoice().Settle(now), b.invoice().Settle(now), b.invoice()
	earlier.Period.Start, earlier.Period.End = now.Add(-month), now
	later.Period.Start, later.Period.End = now.Add(month), now.Add(2*month)
	void.Status, void.VoidedAt, void.Collection.Phase = invoice.Void, now, collection.Closed
	waiting, live, another := b.charge(open[1].ID), b.charge(open[0].ID), b.charge("")
	failed, refund := b.charge(open[0].ID), b.charge("")
	failed.Status, failed.CompletedAt = payment.Failed, now
	refund.Type, refund.ChargeID = payment.Refund, live.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertPlan(ctx, b.env, pendingPlan))
		for _, inv := range []invoice.Invoice{open[0], paid, earlier, void, open[1], later} {
			require.NoError(t, tx.InsertInvoice(ctx, b.env, inv))
		}
		for _, txn := range []payment.Transaction{waiting, live, another, failed, refund} {
			require.NoError(t, tx.InsertTransaction(ctx, b.env, txn))
		}
		require.NoError(t, tx.AddCredit(ctx, b.env, b.customer.ID, eur, invoice.CreditEntry{Amount: 250, Reason: invoice.CreditProration}, paid.ID))
		require.NoError(t, tx.AddCredit(ctx, b.env, b.customer.ID, "USD", invoice.CreditEntry{Amount: 900, Reason: invoice.CreditProration}, paid.ID))
		s := b.subscription
		s.PendingPlanID, s.CollectingInvoiceID = pendingPlan.ID, open[0].ID
		require.NoError(t, tx.SaveSubscription(ctx, b.env, s))
	})
	loaded := load(t, b, true)
	require.Equal(t, load(t, b, false), loaded)
	require.Equal(t, pendingPlan, *loaded.PendingPlan)
	require.EqualValues(t, 250, loaded.CreditBalance)
	require.Len(t, loaded.Pending, 3, "charges that are not decided, whatever for; no refunds")
	require.Equal(t, live, *loaded.Live, "of the invoice in collection, not the first")
	ids := func(invoices []invoice.Invoice) (ids []string) {
		for _, inv := range invoices {
			ids = append(ids, inv.ID)
			require.Len(t, inv.Lines, 2)
			require.Equal(t, "seats", inv.Lines[1].Description)
		}
		return ids
	}
	require.Equal(t, []string{open[0].ID, open[1].ID}, ids(loaded.Open), "oldest first")
	require.Equal(t, []string{paid.ID}, ids(loaded.Paid), "of the current period only")
}

// The locks of a bundle: nobody else changes what a decision depends on, and whoever only refers to it need not wait.
func TestBundleLocks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	for name, blocked := range map[string]string{
		"customer":     "update customers set name = 'Eve'",
		"subscription": "update subscriptions set cancel_reason = 'no'",
		"invoice":      "update invoices set attempts = 9",
	} {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			_, err := tx.LoadSubscription(ctx, b.env, b.subscription.ID, true)
			require.NoError(t, err)
			other, err := b.pool.Begin(ctx)
			require.NoError(t, err)
			defer func() { _ = other.Rollback(ctx) }() // nothing to keep
			_, err = other.Exec(ctx, "set local lock_timeout = '50ms'")
			require.NoError(t, err)
			_, err = other.Exec(ctx, blocked)
			requireSQLState(t, err, "55P03")
			t.Log(name, "is locked")
		})
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.LoadSubscription(ctx, b.env, b.subscription.ID, true)
		require.NoError(t, err)
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		require.NoError(t, b.store.InTx(limited, db.BySystem("test"), now, func(second *db.Tx) error {
			return second.InsertTransaction(limited, b.env, b.charge(inv.ID))
		}), "a row that refers to all three")
	})
}
