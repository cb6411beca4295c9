package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/db"
)

func load(t *testing.T, b *bundle) lifecycle.State {
	t.Helper()
	var loaded lifecycle.State
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		var err error
		loaded, err = tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
	})
	return loaded
}

func TestLockSubscription_New(t *testing.T) {
	t.Parallel()
	b := setup(t)
	loaded := load(t, b)
	require.Equal(t, lifecycle.State{
		Subscription: b.subscription, Customer: b.customer, Plan: b.plan, Settings: newEnvironment(b.environment).Settings,
		ClockNow: b.clock.NowAt, Provider: &lifecycle.Provider{Name: "stripe", ConfigID: b.provider},
	}, loaded)
}

func TestLockSubscription_Busy(t *testing.T) {
	t.Parallel()
	b := setup(t)
	pendingPlan := newPlan()
	open := []invoice.Invoice{b.invoice(), b.invoice()}
	open[1].Collection = collection.State{Phase: collection.Waiting}
	paid, earlier, cutShort, void := b.invoice().Settle(now), b.invoice().Settle(now), b.invoice().Settle(now), b.invoice()
	earlier.PeriodIndex, cutShort.PeriodIndex, paid.PeriodIndex = 1, 2, 3
	void.Status, void.VoidedAt, void.Collection.Phase = invoice.Void, now, collection.Closed
	waiting, live, another := b.charge(open[1].ID), b.charge(open[0].ID), b.charge("")
	failed, refund := b.charge(open[0].ID), b.charge("")
	failed.Status, failed.CompletedAt = payment.Failed, now
	refund.Type, refund.ChargeID = payment.Refund, live.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, pendingPlan))
		for _, inv := range []invoice.Invoice{open[0], earlier, cutShort, paid, void, open[1]} {
			require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv))
		}
		for _, txn := range []payment.Transaction{waiting, live, another, failed, refund} {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		}
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 250, Reason: invoice.CreditProration}, paid.ID, now))
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, "USD",
			invoice.CreditEntry{Amount: 900, Reason: invoice.CreditProration}, paid.ID, now))
		s := b.subscription
		s.PendingPlanID, s.PendingPlanVersion, s.CollectingInvoiceID = pendingPlan.ID, pendingPlan.Version, open[0].ID
		s.PeriodIndex, s.RenewedIndex = 3, 2 // by a change of interval
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
	})
	loaded := load(t, b)
	require.Equal(t, pendingPlan, *loaded.PendingPlan)
	require.EqualValues(t, 250, loaded.Balance)
	require.Equal(t, []payment.Transaction{waiting, live, another}, loaded.Pending,
		"charges that are not decided, whatever for, oldest first; no refunds")
	require.Empty(t, loaded.Captures, "read for a refund only")
	ids := func(invoices []invoice.Invoice) (ids []string) {
		for _, inv := range invoices {
			ids = append(ids, inv.ID)
			require.Len(t, inv.Lines, 2)
			require.Equal(t, "seats", inv.Lines[1].Description)
		}
		return ids
	}
	require.Equal(t, []string{open[0].ID, open[1].ID}, ids(loaded.Open), "oldest first")
	require.Equal(t, []string{cutShort.ID, paid.ID}, ids(loaded.Paid), "since the schedule opened a period")
}

// The locks of a state: no other transaction can change the facts of a decision, and one that only refers to them need
// not wait.
func TestLockSubscription_Locks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	b.pendingCharge(t, inv.ID)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: 5, Reason: invoice.CreditProration}, inv.ID, now))
	})
	for name, blocked := range map[string]string{
		"customer":     "update customers set name = 'Eve'",
		"subscription": "update subscriptions set cancel_reason = 'no'",
		"invoice":      "update invoices set attempts = 9",
		"charge":       "update transactions set checks = 9",
		"balance":      "update credit_balances set balance = 9",
	} {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			_, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
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
		_, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		limited, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		failed := b.charge(inv.ID)
		failed.Status, failed.CompletedAt = payment.Failed, now
		require.NoError(t, b.store.InTx(limited, db.BySystem("test"), now, func(second *db.Tx) error {
			return second.Payments.InsertTransaction(limited, b.env, failed)
		}), "a row that refers to all three")
	})
}

// settled writes an invoice of the current period that a charge has paid.
func (b *bundle) settled(t *testing.T) (invoice.Invoice, payment.Transaction) {
	t.Helper()
	inv := b.openInvoice(t)
	txn := b.charge(inv.ID)
	txn.Status, txn.CompletedAt = payment.Success, now
	paid := inv.Settle(now)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Invoices.Save(ctx, b.env, paid))
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		require.NoError(t, tx.Payments.InsertSettlement(ctx, b.env, inv.ID, txn.ID, inv.AmountDue, now))
	})
	return paid, txn
}

func TestLock_Captures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, firstCharge := b.settled(t)
	second, secondCharge := b.settled(t)
	byCredit := b.openInvoice(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		inv := byCredit
		inv.CreditApplied, inv.AmountDue = inv.Total, 0
		require.NoError(t, tx.Invoices.Save(ctx, b.env, inv.Settle(now)))
		require.NoError(t, tx.Payments.InsertSettlement(ctx, b.env, inv.ID, "", 0, now))
		// A later success of the first invoice does not count for it.
		late := b.charge(first.ID)
		late.AttemptNumber, late.Status, late.CompletedAt = 2, payment.Success, now
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, late))
	})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.Len(t, state.Paid, 3)
		require.NoError(t, tx.Lifecycle.LockCaptures(ctx, b.env, &state))
		require.Equal(t, map[string]payment.Transaction{first.ID: firstCharge, second.ID: secondCharge}, state.Captures)

		other, err := b.pool.Begin(ctx)
		require.NoError(t, err)
		defer func() { _ = other.Rollback(ctx) }() // nothing to keep
		_, err = other.Exec(ctx, "set local lock_timeout = '50ms'")
		require.NoError(t, err)
		_, err = other.Exec(ctx, "update transactions set amount_refunded = 1 where id = $1", secondCharge.ID)
		requireSQLState(t, err, "55P03")
	})
}

// The end with a monthly plan gives back the rest of a yearly add-on, so that any decision before it reads the refunds.
func TestLockSubscription_CapturesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv, charge := b.settled(t)
	yearly := newPlan()
	yearly.AddOn, yearly.TrialDays, yearly.TrialEnd, yearly.Dunning, yearly.ProrationMeasure = true, 0, "", nil, ""
	yearly.Interval = period.Interval{Unit: period.Year, Count: 1}
	set := func(with subscription.AddOns, ends bool) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			s := locked(ctx, t, b, tx)
			s.AddOns, s.CancelAtPeriodEnd = with, ends
			require.NoError(t, tx.Subscriptions.Save(ctx, b.env, s))
		})
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.InsertPlan(ctx, b.env, yearly)) })
	addOns := subscription.AddOns{{Ref: yearly.Ref(), Quantity: 1}}

	set(addOns, false)
	require.Empty(t, load(t, b).Captures)
	set(nil, true)
	require.Empty(t, load(t, b).Captures)
	set(addOns, true)
	require.Equal(t, map[string]payment.Transaction{inv.ID: charge}, load(t, b).Captures)
}

func TestLockCaptures_NothingPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Lifecycle.LockCaptures(ctx, b.env, &state))
		require.Empty(t, state.Captures)
	})
}

func TestLockCustomerState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inRealTime := newCustomer("")
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Insert(ctx, b.env, inRealTime)) })
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Customers.LockState(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
		require.Equal(t, lifecycle.State{Customer: b.customer, ClockNow: b.clock.NowAt}, state)
		state, err = tx.Customers.LockState(ctx, b.env, inRealTime.ID)
		require.NoError(t, err)
		require.Equal(t, lifecycle.State{Customer: inRealTime}, state)
		_, err = tx.Customers.LockState(ctx, b.env, "cust_absent")
		requireFault(t, err, fault.NotFound, "customer_not_found")
	})
}
