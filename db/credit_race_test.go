package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/testclock"
	"perennial/db"
)

// Where a customer has no balance yet there is no row to lock. Nevertheless the second of two subscriptions sees the
// amount that the first one gave or carried forward: it waits for the customer.
func TestLockSubscription_OfTwoWithoutABalance(t *testing.T) {
	t.Parallel()
	for name, amounts := range map[string][2]money.Minor{
		"both give":                      {500, 300},
		"both carry forward":             {-20, -30},
		"one gives, one carries":         {500, -30},
		"one carries, another one gives": {-30, 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			other := newSubscription(b.environment)
			b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, other)) })
			invoices := [2]invoice.Invoice{b.openInvoice(t), b.openInvoice(t)}
			done := make(chan error, 1)
			add := func(ctx context.Context, tx *db.Tx, i int) error {
				reason := invoice.CreditProration
				if amounts[i] < 0 {
					reason = invoice.CreditCarriedForward
				}
				return tx.Customers.AddCredit(ctx, b.env, b.customer.ID, b.subscription.Currency,
					invoice.CreditEntry{Amount: amounts[i], Reason: reason}, invoices[i].ID, now)
			}
			var seen money.Minor
			b.write(t, func(ctx context.Context, tx *db.Tx) {
				first, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
				require.NoError(t, err)
				go func() {
					done <- b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
						second, err := tx.Lifecycle.LockSubscription(ctx, b.env, other.ID)
						if err != nil {
							return err
						}
						seen = second.Balance
						return add(ctx, tx, 1)
					})
				}()
				b.untilWaiting(t)
				require.Zero(t, first.Balance)
				require.NoError(t, add(ctx, tx, 0))
			})
			require.NoError(t, <-done)
			require.Equal(t, amounts[0], seen)
			balance, err := b.store.Customers.CreditBalance(t.Context(), b.env, b.customer.ID, b.subscription.Currency)
			require.NoError(t, err)
			require.Equal(t, amounts[0]+amounts[1], balance)
		})
	}
}

// untilWaiting waits until a transaction waits for a lock.
func (b *bundle) untilWaiting(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool { return b.count(t, waits) > 0 }, time.Minute, time.Millisecond)
}

// A command takes its time from the clock after it has the subscription: whatever billed the subscription at a later
// time was committed before, and with it that time.
func TestLockSubscription_NeverSeesAClockBeforeWhatWasBilled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	later := now.Add(24 * time.Hour)
	waits, done := make(chan struct{}), make(chan time.Time, 1)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		go func() {
			var seen time.Time
			err := b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
				if _, err := tx.Clocks.Get(ctx, b.env, b.clock.ID); err != nil { // its snapshot is old
					return err
				}
				close(waits)
				state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
				seen = state.ClockNow
				return err
			})
			if err != nil {
				t.Error(err)
			}
			done <- seen
		}()
		<-waits
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			clock, err := tx.Clocks.Lock(ctx, b.env, b.clock.ID)
			require.NoError(t, err)
			clock.Status, clock.NowAt = testclock.Ready, later
			require.NoError(t, tx.Clocks.Save(ctx, b.env, clock))
		})
		sub := b.subscription
		sub.UpdatedAt = later
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, sub))
	})
	require.True(t, (<-done).Equal(later))
}
