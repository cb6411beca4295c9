package db_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/testclock"
	"perennial/db"
)

// Fifty waiting callers cost about as much as one, and each is notified soon.
func TestAwait_FiftyCallersAskTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const callers, waiting = 50, 2 * time.Second
	txns := make([]payment.Transaction, callers)
	for i := range txns {
		txns[i] = b.pendingCharge(t, "")
	}
	counter := newCounter(t, b)
	var wg sync.WaitGroup
	told := make([]time.Time, callers)
	for i, txn := range txns {
		wg.Go(func() {
			require.NoError(t, counter.store.Await(t.Context(), db.AwaitedTransaction(b.env, txn.ID)))
			told[i] = time.Now()
		})
	}
	time.Sleep(waiting)
	sent := counter.trips()
	perSecond := float64(sent) / waiting.Seconds()
	t.Logf("%d callers waited for %s: %d statements, %.0f a second; each by itself would have sent %.0f a second",
		callers, waiting, sent, perSecond, callers*float64(time.Second/(50*time.Millisecond)))
	require.NotZero(t, sent)
	require.Less(t, perSecond, 35.0, "20 a second, and some more at first")
	decided := time.Now()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, txn := range txns {
			txn.Status, txn.CompletedAt = payment.Failed, now
			require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, txn))
		}
	})
	wg.Wait()
	for _, at := range told {
		require.Less(t, at.Sub(decided), 2*time.Second)
	}
	time.Sleep(200 * time.Millisecond)
	counter.trips()
	time.Sleep(200 * time.Millisecond)
	require.Zero(t, counter.trips(), "nobody waits, nothing is asked")
}

func TestAwait_EachKindEndsWithItsState(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, "")
	clock := b.clock
	clock.Status, clock.TargetAt = testclock.Advancing, now.Add(time.Hour)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Clocks.Save(ctx, b.env, clock)) })
	for name, c := range map[string]struct {
		what db.Awaited
		end  func(context.Context, *db.Tx) error
	}{
		"test clock": {db.AwaitedTestClock(b.env, clock.ID), func(ctx context.Context, tx *db.Tx) error {
			ready, err := tx.Clocks.Get(ctx, b.env, clock.ID)
			ready.Status, ready.TargetAt = testclock.Ready, time.Time{}
			if err != nil {
				return err
			}
			return tx.Clocks.Save(ctx, b.env, ready)
		}},
		"transaction": {db.AwaitedTransaction(b.env, txn.ID), func(ctx context.Context, tx *db.Tx) error {
			failed := txn
			failed.Status, failed.CompletedAt = payment.Failed, now
			return tx.Payments.SaveTransaction(ctx, b.env, failed)
		}},
	} {
		patience, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		require.ErrorIs(t, b.store.Await(patience, c.what), context.DeadlineExceeded, "%s: not yet", name)
		cancel()
		told := make(chan error, 1)
		patience, cancel = context.WithTimeout(t.Context(), 4*time.Second) // less than the net
		go func() { told <- b.store.Await(patience, c.what) }()
		require.NoError(t, b.try(t, c.end), name)
		require.NoError(t, <-told, name)
		cancel()
	}
}
