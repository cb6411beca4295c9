package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

func TestUnstartedSubscriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.newEnvironment(t)
	finished := b.subscription
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription, wall), "canceled", now, now
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.InsertSubscription(ctx, b.env, finished)) })
	first, second := db.Ref{EnvironmentID: b.env, ID: b.subscription.ID}, db.Ref{EnvironmentID: other.env, ID: other.subscription.ID}
	if second.ID < first.ID {
		first, second = second, first
	}
	unstarted := func(epoch int64, after string, limit int) []db.Ref {
		found, err := b.store.UnstartedSubscriptions(t.Context(), epoch, after, limit)
		require.NoError(t, err)
		return found
	}
	epoch, err := b.store.Epoch(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, epoch)
	require.Equal(t, []db.Ref{first, second}, unstarted(epoch, "", 10))
	require.Equal(t, []db.Ref{first}, unstarted(epoch, "", 1))
	require.Equal(t, []db.Ref{second}, unstarted(epoch, first.ID, 10))

	b.setStarted(t, db.StartedSubscriptions, epoch, first, db.Ref{EnvironmentID: first.EnvironmentID, ID: second.ID})
	require.Equal(t, []db.Ref{second}, unstarted(epoch, "", 10), "an id alone marks nothing")
	got, err := b.store.Subscription(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.EqualValues(t, 1, got.Revision, "nothing that a workflow knows has changed")

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		next, err := tx.IncrementEpoch(ctx)
		require.NoError(t, err)
		require.Equal(t, epoch+1, next)
	})
	require.Equal(t, []db.Ref{first, second}, unstarted(epoch+1, "", 10), "Temporal was lost: everything starts again")
	b.setStarted(t, db.StartedSubscriptions, epoch+1, first, second)
	b.setStarted(t, db.StartedSubscriptions, epoch, first, second) // late news of an older epoch
	require.Empty(t, unstarted(epoch+1, "", 10))
}

func (b *bundle) setStarted(t *testing.T, table db.StartedTable, epoch int64, started ...db.Ref) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.SetStarted(ctx, table, epoch, started)) })
}

func TestUnstartedTransactions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	finished := b.subscription
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription, wall), "canceled", now, now
	own, served, done, refund, leftOpen := b.charge(""), b.charge(""), b.charge(""), b.charge(""), b.charge("")
	own.SubscriptionID, done.SubscriptionID, done.Status, done.CompletedAt = "", "", payment.Failed, now
	refund.Type, refund.ChargeID = payment.Refund, own.ID
	leftOpen.SubscriptionID = finished.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertSubscription(ctx, b.env, finished))
		for _, txn := range []payment.Transaction{own, served, done, refund, leftOpen} {
			require.NoError(t, tx.InsertTransaction(ctx, b.env, txn))
		}
	})
	found, err := b.store.UnstartedTransactions(t.Context(), 1, "", 10)
	require.NoError(t, err)
	var ids []string
	for _, f := range found {
		require.Equal(t, b.env, f.EnvironmentID)
		ids = append(ids, f.ID)
	}
	require.ElementsMatch(t, []string{own.ID, refund.ID, leftOpen.ID}, ids, "not what a subscription's workflow serves")
	require.IsIncreasing(t, ids)
	b.setStarted(t, db.StartedTransactions, 1, found[1:]...)
	left, err := b.store.UnstartedTransactions(t.Context(), 1, "", 10)
	require.NoError(t, err)
	require.Equal(t, found[:1], left)
}

func TestWhatHangsBehind(t *testing.T) {
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
		require.NoError(t, tx.InsertSubscription(ctx, b.env, realTime))
		for _, txn := range []payment.Transaction{due, parked, refund} {
			require.NoError(t, tx.InsertTransaction(ctx, b.env, txn))
		}
		c := b.clock
		c.Status, c.TargetAt = db.ClockAdvancing, now.Add(time.Hour)
		require.NoError(t, tx.SaveTestClock(ctx, b.env, c))
		_, err := tx.MarkMethodChanged(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
	})
	soon := wall.Add(time.Minute)

	late, err := b.store.LateSubscriptions(ctx, soon, 10)
	require.NoError(t, err)
	require.Equal(t, []db.LateSubscription{{Ref: db.Ref{EnvironmentID: b.env, ID: realTime.ID}, NextAction: "renewal", NextActionAt: wall}}, late)
	late, err = b.store.LateSubscriptions(ctx, wall, 10)
	require.NoError(t, err)
	require.Empty(t, late)

	overdue, err := b.store.OverdueChecks(ctx, soon, 10)
	require.NoError(t, err)
	require.Equal(t, []db.TransactionRef{
		{Ref: db.Ref{EnvironmentID: b.env, ID: due.ID}, SubscriptionID: b.subscription.ID},
		{Ref: db.Ref{EnvironmentID: b.env, ID: refund.ID}}, // a refund has a workflow of its own
	}, overdue)

	clocks, err := b.store.BusyClocks(ctx, "", 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: b.env, ID: b.clock.ID}}, clocks)

	changed, err := b.store.MethodChangedBefore(ctx, soon, 10)
	require.NoError(t, err)
	require.Len(t, changed, 2)
	changed, err = b.store.MethodChangedBefore(ctx, wall, 10)
	require.NoError(t, err)
	require.Empty(t, changed)
}

func TestCallbacksAreStoredOnceAndFoundUntilProcessed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	txn := b.pendingCharge(t, "")
	insert := func(eventID, transactionID, ref string, at time.Time) (stored bool) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			var err error
			stored, err = tx.InsertCallback(ctx, b.env, db.Callback{
				ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: eventID, Type: "charge", TransactionID: transactionID,
				ProviderRef: ref, ReceivedAt: at,
			})
			require.NoError(t, err)
		})
		return stored
	}
	require.True(t, insert("evt_1", txn.ID, "", wall))
	require.False(t, insert("evt_1", txn.ID, "", wall), "providers repeat themselves")
	require.True(t, insert("evt_2", "", "pi_1", wall.Add(time.Second)), "not known by it yet")
	open := func() int {
		found, err := b.store.OpenCallbacksBefore(ctx, wall.Add(time.Hour), 10)
		require.NoError(t, err)
		for _, f := range found {
			require.Equal(t, db.TransactionRef{Ref: db.Ref{EnvironmentID: b.env, ID: txn.ID}}, f)
		}
		return len(found)
	}
	require.Equal(t, 1, open())
	txn.ProviderRef = "pi_1"
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.SaveTransaction(ctx, b.env, txn)) })
	require.Equal(t, 2, open(), "now it is known whose it is")
	require.True(t, insert("evt_3", txn.ID, "", wall.Add(time.Minute)))
	process := func(before time.Time) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.MarkCallbacksProcessed(ctx, b.env, txn.ID, before))
		})
	}
	process(wall.Add(2 * time.Second))
	require.Equal(t, 1, open(), "what came after the look at the provider is open")
	process(wall.Add(time.Minute))
	require.Zero(t, open())
}

func TestClockQueries(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	soon, waits, finished := b.subscription, b.subscription, b.subscription
	soon.ID, waits.ID, finished.ID = id.New(id.Subscription, wall), id.New(id.Subscription, wall), id.New(id.Subscription, wall)
	soon.NextActionAt, soon.NextAction = now.Add(time.Hour), "payment_retry"
	waits.NextActionAt, waits.NextAction = time.Time{}, "none"
	finished.Status, finished.CanceledAt, finished.FinishedAt, finished.NextActionAt = "canceled", now, now, now
	own, served, done := b.charge(""), b.charge(""), b.charge("")
	own.SubscriptionID, done.Status, done.CompletedAt = "", payment.Success, now
	_, ok, err := b.store.NextDueOnClock(ctx, b.env, "clk_absent")
	require.NoError(t, err)
	require.False(t, ok)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertSubscription(ctx, b.env, soon))
		require.NoError(t, tx.InsertSubscription(ctx, b.env, waits))
		require.NoError(t, tx.InsertSubscription(ctx, b.env, finished))
		for _, txn := range []payment.Transaction{own, served, done} {
			require.NoError(t, tx.InsertTransaction(ctx, b.env, txn))
		}
	})
	due, ok, err := b.store.NextDueOnClock(ctx, b.env, b.clock.ID)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, soon.NextActionAt, due)
	for at, want := range map[time.Time][]string{
		now: nil, now.Add(time.Hour): {soon.ID}, now.Add(month): {soon.ID, b.subscription.ID},
	} {
		ids, err := b.store.DueOnClock(ctx, b.env, b.clock.ID, at)
		require.NoError(t, err)
		require.Equal(t, want, ids)
	}
	pending, err := b.store.PendingOnClock(ctx, b.env, b.clock.ID)
	require.NoError(t, err)
	require.ElementsMatch(t, []db.PendingTransaction{{TransactionID: own.ID}, {TransactionID: served.ID, SubscriptionID: b.subscription.ID}}, pending)
}
