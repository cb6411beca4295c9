package db_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/id"
)

func TestUnstartedSubscriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.newEnvironment(t)
	finished := b.subscription
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription,
		wall), "canceled", now, now
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, finished))
	})
	first, second := db.Ref{EnvironmentID: b.env, ID: b.subscription.ID}, db.Ref{
		EnvironmentID: other.env, ID: other.subscription.ID,
	}
	if second.ID < first.ID {
		first, second = second, first
	}
	unstarted := func(epoch int64, limit int) []db.Ref {
		found, err := b.store.Reconcile.UnstartedSubscriptions(t.Context(), epoch, limit)
		require.NoError(t, err)
		return found
	}
	epoch, err := b.store.Reconcile.Epoch(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, epoch)
	require.Equal(t, []db.Ref{first, second}, unstarted(epoch, 10))
	require.Equal(t, []db.Ref{first}, unstarted(epoch, 1))

	b.setStarted(t, db.StartedSubscriptions, epoch, first, db.Ref{EnvironmentID: first.EnvironmentID, ID: second.ID})
	require.Equal(t, []db.Ref{second}, unstarted(epoch, 10), "an id alone marks nothing")
	got, err := b.store.Subscriptions.Get(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, got.Revision, "nothing that a workflow knows has changed")

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		next, err := tx.Reconcile.IncrementEpoch(ctx)
		require.NoError(t, err)
		require.Equal(t, epoch+1, next)
	})
	require.ElementsMatch(t, []db.Ref{first, second}, unstarted(epoch+1, 10), "Temporal was lost: everything starts again")
	b.setStarted(t, db.StartedSubscriptions, epoch+1, first, second)
	b.setStarted(t, db.StartedSubscriptions, epoch, first, second) // late news of an older epoch
	require.Empty(t, unstarted(epoch+1, 10))
}

func (b *bundle) setStarted(t *testing.T, table db.StartedTable, epoch int64, started ...db.Ref) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Reconcile.SetStarted(ctx, table, epoch, started))
	})
}

func TestUnstartedTransactions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	finished := b.subscription
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription,
		wall), "canceled", now, now
	own, served, done, refund, leftOpen := b.charge(""), b.charge(""), b.charge(""), b.charge(""), b.charge("")
	own.SubscriptionID, done.SubscriptionID, done.Status, done.CompletedAt = "", "", payment.Failed, now
	refund.Type, refund.ChargeID = payment.Refund, own.ID
	leftOpen.SubscriptionID = finished.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, finished))
		for _, txn := range []payment.Transaction{own, served, done, refund, leftOpen} {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		}
	})
	found, err := b.store.Reconcile.UnstartedTransactions(t.Context(), 1, 10)
	require.NoError(t, err)
	var ids []string
	for _, f := range found {
		require.Equal(t, b.env, f.EnvironmentID)
		ids = append(ids, f.ID)
	}
	require.ElementsMatch(t, []string{own.ID, refund.ID, leftOpen.ID}, ids, "not what a subscription's workflow serves")
	require.IsIncreasing(t, ids)
	b.setStarted(t, db.StartedTransactions, 1, found[1:]...)
	left, err := b.store.Reconcile.UnstartedTransactions(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Equal(t, found[:1], left)
}

func TestReconciler_LateSubscriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	realTime := b.subscription
	realTime.ID, realTime.TestClockID, realTime.NextActionAt = id.New(id.Subscription, wall), "", wall
	due, parked := b.charge(""), b.charge("")
	due.NextCheckAt, parked.NextCheckAt, parked.ParkedAt = wall, wall, wall
	refund := b.charge("")
	refund.Type, refund.ChargeID, refund.NextCheckAt = payment.Refund, due.ID, wall.Add(time.Second)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, realTime))
		for _, txn := range []payment.Transaction{due, parked, refund} {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		}
		c := b.clock
		c.Status, c.TargetAt = testclock.Advancing, now.Add(time.Hour)
		require.NoError(t, tx.Clocks.Save(ctx, b.env, c))
		_, err := tx.Subscriptions.MarkMethodChanged(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
	})
	soon := wall.Add(time.Minute)

	late, err := b.store.Reconcile.LateSubscriptions(ctx, soon, 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: b.env, ID: realTime.ID}}, late)
	late, err = b.store.Reconcile.LateSubscriptions(ctx, wall, 10)
	require.NoError(t, err)
	require.Empty(t, late)

	overdue, err := b.store.Reconcile.OverdueChecks(ctx, soon, 10)
	require.NoError(t, err)
	require.Equal(t, []db.TransactionRef{
		{Ref: db.Ref{EnvironmentID: b.env, ID: due.ID}, SubscriptionID: b.subscription.ID},
		{Ref: db.Ref{EnvironmentID: b.env, ID: refund.ID}}, // a refund has a workflow of its own
	}, overdue)

	clocks, err := b.store.Reconcile.BusyClocks(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: b.env, ID: b.clock.ID}}, clocks)

	wakes, err := b.store.Reconcile.WakePendingBefore(ctx, soon, 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: b.env, ID: b.subscription.ID}, {EnvironmentID: b.env, ID: realTime.ID}},
		wakes)
	wakes, err = b.store.Reconcile.WakePendingBefore(ctx, wall, 10)
	require.NoError(t, err)
	require.Empty(t, wakes)
}

// TestReconciler_EnvironmentsTakeTurns fills every list of overdue work with that of one environment, all older than
// the one of another.
func TestReconciler_EnvironmentsTakeTurns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const stuck, limit = 600, 500
	other := b.newEnvironment(t)
	fill := func(e environment, n int, at time.Time) (txn, sub string) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			for range n {
				s, c := e.subscription, e.charge("")
				s.ID, s.TestClockID, s.NextActionAt = id.New(id.Subscription, wall), "", at
				c.NextCheckAt, c.FirstSentAt, c.SendNumber = at, at, 1
				require.NoError(t, tx.Subscriptions.Insert(ctx, e.env, s))
				require.NoError(t, tx.Payments.InsertTransaction(ctx, e.env, c))
				_, err := tx.Payments.InsertCallback(ctx, e.env, db.Callback{
					ID: id.New(id.Callback, wall), ProviderConfigID: e.provider, ProviderEventID: c.ID, Type: "charge",
					TransactionID: c.ID, ReceivedAt: at,
				})
				require.NoError(t, err)
				txn, sub = c.ID, s.ID
			}
		})
		_, err := b.pool.Exec(ctx,
			"update subscriptions set wake_pending_since = $1 where environment_id = $2 and test_clock_id is null", at, e.env)
		require.NoError(t, err)
		return txn, sub
	}
	fill(b.environment, stuck, wall)
	txn, sub := fill(other, 1, wall.Add(time.Hour))
	now := wall.Add(2 * time.Hour)

	goodTxn := db.TransactionRef{Ref: db.Ref{EnvironmentID: other.env, ID: txn}, SubscriptionID: other.subscription.ID}
	goodSub := db.Ref{EnvironmentID: other.env, ID: sub}

	overdue, err := b.store.Reconcile.OverdueChecks(ctx, now, limit)
	require.NoError(t, err)
	require.Len(t, overdue, limit)
	require.True(t, slices.Contains(overdue, goodTxn))
	told, err := b.store.Reconcile.OpenCallbacksBefore(ctx, now, limit)
	require.NoError(t, err)
	require.Len(t, told, limit)
	require.True(t, slices.Contains(told, goodTxn))
	late, err := b.store.Reconcile.LateSubscriptions(ctx, now, limit)
	require.NoError(t, err)
	require.Len(t, late, limit)
	require.True(t, slices.Contains(late, goodSub))
	wakes, err := b.store.Reconcile.WakePendingBefore(ctx, now, limit)
	require.NoError(t, err)
	require.Len(t, wakes, limit)
	require.True(t, slices.Contains(wakes, goodSub))
}

// So do payments that no provider configuration has yet.
func TestReconciler_UnsentPaymentsTakeTurns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const stuck, limit = 600, 500
	other := b.newEnvironment(t)
	unsent := func(e environment, n int, at time.Time) (last string) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			for range n {
				c := e.charge("")
				c.Provider, c.ProviderConfigID, c.NextCheckAt = "", "", at
				require.NoError(t, tx.Payments.InsertTransaction(ctx, e.env, c))
				last = c.ID
			}
		})
		return last
	}
	unsent(b.environment, stuck, wall)
	hidden := unsent(other, 1, wall.Add(time.Hour))
	overdue, err := b.store.Reconcile.OverdueChecks(ctx, wall.Add(2*time.Hour), limit)
	require.NoError(t, err)
	require.Len(t, overdue, limit)
	require.True(t, slices.ContainsFunc(overdue, func(r db.TransactionRef) bool { return r.ID == hidden }))
	waiting, err := b.store.Payments.OverduePayments(ctx, wall.Add(2*time.Hour))
	require.NoError(t, err)
	require.Len(t, waiting, 2, "both are named to the operator")
}

func TestMarkMethodChanged_SkipsCanceled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	canceled := b.subscription // and not finished: something of it is still pending
	canceled.ID, canceled.Status, canceled.CanceledAt = id.New(id.Subscription, wall), "canceled", now
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, canceled))
		marked, err := tx.Subscriptions.MarkMethodChanged(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
		require.Equal(t, []string{b.subscription.ID}, marked)
	})
	wakes, err := b.store.Reconcile.WakePendingBefore(t.Context(), wall.Add(time.Minute), 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: b.env, ID: b.subscription.ID}}, wakes)
}

func TestClockQueries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	soon, waits, finished := b.subscription, b.subscription, b.subscription
	soon.ID, waits.ID, finished.ID = id.New(id.Subscription, wall), id.New(id.Subscription, wall), id.New(id.Subscription,
		wall)
	soon.NextActionAt, soon.NextAction = now.Add(time.Hour), "payment_retry"
	waits.NextActionAt, waits.NextAction = time.Time{}, "none"
	finished.Status, finished.CanceledAt, finished.FinishedAt, finished.NextActionAt = "canceled", now, now, now
	own, served, done := b.charge(""), b.charge(""), b.charge("")
	own.SubscriptionID, done.Status, done.CompletedAt = "", payment.Success, now
	_, ok, err := b.store.Clocks.NextDue(ctx, b.env, "clk_absent")
	require.NoError(t, err)
	require.False(t, ok)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, soon))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, waits))
		require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, finished))
		for _, txn := range []payment.Transaction{own, served, done} {
			require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		}
	})
	due, ok, err := b.store.Clocks.NextDue(ctx, b.env, b.clock.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, soon.NextActionAt, due)
	for at, want := range map[time.Time][]string{
		now: nil, now.Add(time.Hour): {soon.ID}, now.Add(month): {soon.ID, b.subscription.ID},
	} {
		ids, err := b.store.Clocks.Due(ctx, b.env, b.clock.ID, at)
		require.NoError(t, err)
		require.Equal(t, want, ids)
	}
	pending, err := b.store.Clocks.Pending(ctx, b.env, b.clock.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []string{own.ID, served.ID}, pending)
}
