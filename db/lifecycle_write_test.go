package db_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/db"
)

// allKinds returns Changes of every kind at once: an open invoice was declined, is replaced by one that credit pays,
// and is tried again; another one is paid, and its charge refunded in part.
func (b *bundle) allKinds(t *testing.T) (lifecycle.State, lifecycle.Changes) {
	t.Helper()
	open, paid := b.openInvoice(t), b.openInvoice(t)
	b.pendingCharge(t, open.ID)
	charge := b.pendingCharge(t, paid.ID)
	var state lifecycle.State
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 300, Reason: invoice.CreditProration}, open.ID, now))
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		state, err = tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
	})
	declined := state.Pending[0]
	declined.Status, declined.CompletedAt, declined.FailureCode = payment.Declined, now, "DECLINED"
	captured := state.Pending[1]
	captured.Status, captured.CompletedAt = payment.Success, now
	captured, refund, err := captured.Captured().Refund("txn_refund", 500, now, wall)
	require.NoError(t, err)
	retry := b.charge(open.ID)
	retry.AttemptNumber = 2
	again := state.Open[0]
	again.Collection = collection.State{
		Phase: collection.Charging, Automatic: 2, Attempts: 2, Trigger: collection.Automatic,
	}
	byCredit := b.invoice()
	byCredit.Total, byCredit.CreditApplied, byCredit.AmountDue, byCredit.Lines = 300, 300, 0, byCredit.Lines[:1]
	byCredit.Lines[0].Amount = 300
	sub := state.Subscription
	sub.CollectingInvoiceID, sub.CancelReason = open.ID, "written"
	told := anEvent(b.subscription)
	late := event.New(event.SubscriptionPastDue{
		Subscription: event.OfSubscription(b.subscription.ID, b.customer.ID), FailedPaymentAttempts: 2,
	}, told.OccurredAt.Add(time.Minute))
	return state, lifecycle.Changes{
		At: now.Add(time.Hour), Subscription: &sub,
		Invoices: lifecycle.InvoiceChanges{
			{Kind: lifecycle.InvoiceChanged, Invoice: again},
			{Kind: lifecycle.InvoiceChanged, Invoice: state.Open[1].Settle(now)},
			{Kind: lifecycle.InvoiceCreated, Invoice: byCredit.Settle(now)},
		},
		NewTransactions: []payment.Transaction{retry, refund}, Transactions: []payment.Transaction{declined, captured},
		Credit: []lifecycle.CreditEntry{{
			CreditEntry: invoice.CreditEntry{Amount: -300, Reason: invoice.CreditApplied}, InvoiceID: byCredit.ID,
		}},
		Settlements: []lifecycle.Settlement{
			{InvoiceID: paid.ID, TransactionID: charge.ID, Amount: 1500}, {InvoiceID: byCredit.ID},
		},
		Events: []event.Event{told, late}, Starts: []string{refund.ID}, Attempt: retry.ID,
	}
}

// The retry replaces the declined attempt, of which at most one may be pending: rows that end are written first.
func TestWrite_AllKindsInOneTransaction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	state, c := b.allKinds(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Lifecycle.Write(ctx, b.env, state, c)) })

	ctx := t.Context()
	sub, err := b.store.Subscriptions.Get(ctx, b.env, b.subscription.ID)
	require.NoError(t, err)
	want := *c.Subscription
	want.Revision++
	require.Equal(t, want, sub)
	for _, w := range c.Invoices.Of(lifecycle.InvoiceChanged, lifecycle.InvoiceCreated) {
		got, err := b.store.Invoices.Get(ctx, b.env, w.ID)
		require.NoError(t, err)
		if w.Number == 0 { // the new one: its numbers are given when it is written
			w.Number, w.Lines[0].ID = 3, got.Lines[0].ID
		}
		w.Buyer = b.buyer()
		require.Equal(t, w, got)
	}
	for _, w := range c.Transactions {
		got, err := b.store.Payments.Transaction(ctx, b.env, w.ID)
		require.NoError(t, err)
		w.Revision++
		require.Equal(t, w, got)
	}
	for _, w := range c.NewTransactions {
		got, err := b.store.Payments.Transaction(ctx, b.env, w.ID)
		require.NoError(t, err)
		require.Equal(t, w, got)
	}
	balance, err := b.store.Customers.CreditBalance(ctx, b.env, b.customer.ID, eur)
	require.NoError(t, err)
	require.Equal(t, money.Minor(0), balance)
	require.Equal(t, 1,
		b.count(t, "select count(*) from credit_entries where amount = -300 and created_at = $1 and invoice_id = $2",
			c.At, c.Invoices.Of(lifecycle.InvoiceCreated)[0].ID))
	for _, w := range c.Settlements {
		got, err := b.store.Payments.Settlement(ctx, b.env, w.InvoiceID)
		require.NoError(t, err)
		require.Equal(t, db.Settlement{
			InvoiceID: w.InvoiceID, TransactionID: w.TransactionID, Amount: w.Amount, SettledAt: c.At,
		}, got)
	}
	events, _, err := b.store.Webhooks.Events(ctx, b.env, db.EventFilter{}, db.Page{})
	require.NoError(t, err)
	require.Len(t, events, 2)
	for i, want := range c.Events {
		got := events[len(events)-1-i] // newest first
		require.Equal(t, want.Type(), got.Type, "in the order in which they happened")
		require.Equal(t, want.OccurredAt, got.OccurredAt)
		require.JSONEq(t, stored(t, want.Data), string(got.Data))
	}
}

// If any part of it fails, none is kept.
func TestWrite_AllOrNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(*lifecycle.Changes)
		kind  fault.Kind
		code  string
	}{
		"stale subscription": {func(c *lifecycle.Changes) {
			c.Subscription.Revision--
		}, fault.Unavailable, "subscription_changed"},
		"stale transaction": {func(c *lifecycle.Changes) {
			c.Transactions[0].Revision--
		}, fault.Unavailable, "transaction_changed"},
		"absent invoice": {func(c *lifecycle.Changes) {
			c.Invoices[0].Invoice.ID = "in_absent"
		}, fault.NotFound, "invoice_not_found"},
		"two live attempts": {func(c *lifecycle.Changes) {
			c.Transactions = c.Transactions[1:]
		}, fault.Conflict, "payment_in_progress"},
		"too much credit": {func(c *lifecycle.Changes) {
			c.Credit[0].Amount = -301
		}, fault.Conflict, "credit_insufficient"},
		"settled twice": {func(c *lifecycle.Changes) {
			c.Settlements = append(c.Settlements, lifecycle.Settlement{InvoiceID: c.Settlements[0].InvoiceID})
		}, fault.Conflict, "invoice_settled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			state, changes := b.allKinds(t)
			rows := func() (n []int) {
				for _, table := range []string{"invoices", "transactions", "credit_entries", "settlements", "events"} {
					n = append(n, b.count(t, "select count(*) from "+table))
				}
				return append(n, b.count(t, "select sum(revision) from transactions"),
					b.count(t, "select revision from subscriptions"))
			}
			before := rows()
			c.spoil(&changes)
			err := b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.Lifecycle.Write(ctx, b.env, state, changes) })
			requireFault(t, err, c.kind, c.code)
			require.Equal(t, before, rows())
		})
	}
}

func TestWrite_NothingToWrite(t *testing.T) {
	t.Parallel()
	b := setup(t)
	state := load(t, b)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Lifecycle.Write(ctx, b.env, state, lifecycle.Changes{At: now}))
	})
	require.Equal(t, state, load(t, b))
}

// wakes wakes a subscription in a separate transaction, and returns the signals.
func (b *bundle) wakes(ctx context.Context, why string) ([]db.Effect, error) {
	signals := &collector{}
	err := b.store.With(signals).InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		if err != nil {
			return err
		}
		return tx.Wake(ctx, b.env, state, why)
	})
	return signals.effects, err
}

func TestWake_OnlyTheFirstSignals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wake := func() []db.Effect {
		signals, err := b.wakes(t.Context(), "pay")
		require.NoError(t, err)
		return signals
	}
	signal := []db.Effect{
		db.SignalSubscription{EnvironmentID: b.env, ID: b.subscription.ID, Why: "pay", Revision: b.subscription.Revision},
	}
	require.Equal(t, signal, wake())
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where wake_pending_since = $1", wall),
		"since real time, also on a test clock")
	_, err := b.pool.Exec(t.Context(), "update subscriptions set wake_pending_since = $1", wall.Add(-time.Minute))
	require.NoError(t, err)
	require.Empty(t, wake())
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where wake_pending_since = $1",
		wall.Add(-time.Minute)),
		"the mark tells since when the workflow has not acted")

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.True(t, state.WakePending)
		require.NoError(t, tx.ClearWakePending(ctx, b.env, state))
	})
	require.Zero(t, b.count(t, "select count(wake_pending_since) from subscriptions"))
	require.False(t, load(t, b).WakePending)
	require.Equal(t, signal, wake(), "the next one signals again")
	require.Equal(t, b.subscription.Revision, load(t, b).Subscription.Revision,
		"the mark is no change of the subscription")
}

func TestWake_OneOfManySignals(t *testing.T) {
	t.Parallel()
	b := setup(t)
	signals := make([][]db.Effect, sessions)
	for _, err := range atOnce(sessions, func(i int) (err error) {
		signals[i], err = b.wakes(t.Context(), "")
		return err
	}) {
		require.NoError(t, err)
	}
	require.Len(t, slices.Concat(signals...), 1)
}

// A charge of its own has no subscription: there is no workflow to wake.
func TestWake_WithoutSubscription(t *testing.T) {
	t.Parallel()
	b := setup(t)
	signals := &collector{}
	require.NoError(t, b.store.With(signals).InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		state, err := tx.Customers.LockState(t.Context(), b.env, b.customer.ID)
		require.NoError(t, err)
		return tx.Wake(t.Context(), b.env, state, "")
	}))
	require.Empty(t, signals.effects)
}
