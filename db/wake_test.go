package db_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/db"
)

// statements records the names of a store's statements in batches.
type statements struct {
	mu   sync.Mutex
	sent []string
}

var _ pgx.BatchTracer = (*statements)(nil)

func (s *statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range d.Batch.QueuedQueries {
		rest, _ := strings.CutPrefix(q.SQL, "-- name: ")
		name, _, _ := strings.Cut(rest, " ")
		s.sent = append(s.sent, name)
	}
	return ctx
}

func (*statements) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (*statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}
func (*statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// sent returns the names of the statements of a transaction.
func (b *bundle) sent(t *testing.T, do func(ctx context.Context, tx *db.Tx)) []string {
	t.Helper()
	var all statements
	store, err := db.Open(t.Context(), db.Config{
		URL: b.pool.Config().ConnString(), MaxConns: 1, Clock: func() time.Time { return wall }, Tracer: &all,
	})
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		do(t.Context(), tx)
		return nil
	}))
	return all.sent
}

func TestWake_SavedSubscriptionGetsTheMarkInOneUpdate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	marked := func() int {
		return b.count(t, "select count(*) from subscriptions where wake_pending_since = $1", wall)
	}
	command := func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Wake(ctx, b.env, state, "cancel"))
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, state.Subscription))
	}
	require.NotContains(t, b.sent(t, command), "SubscriptionSetWakePending")
	require.Equal(t, 1, marked())

	earlier := wall.Add(-time.Minute)
	_, err := b.pool.Exec(t.Context(), "update subscriptions set wake_pending_since = $1", earlier)
	require.NoError(t, err)
	b.write(t, command)
	require.Zero(t, marked(), "the mark tells since when the workflow has not acted")

	b.clearWake(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) { // the other order
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, state.Subscription))
		require.NoError(t, tx.Wake(ctx, b.env, state, "cancel"))
	})
	require.Equal(t, 1, marked())

	b.clearWake(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) { // a save wakes no workflow
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, state.Subscription))
	})
	require.Zero(t, marked())
}

// clearWake takes the mark off.
func (b *bundle) clearWake(t *testing.T) {
	t.Helper()
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.ClearWakePending(ctx, b.env, state))
	})
}

// Only a lost clearing of a mark does no harm: the reconciler signals marked rows. All other writes of a transaction
// must be on disk when it is committed.
func TestClearWakePending_AloneNeedsNoFlush(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const relaxed = "CommitWithoutFlush"
	takeOff := func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.NoError(t, tx.ClearWakePending(ctx, b.env, state))
	}
	wake := func() {
		_, err := b.wakes(t.Context(), "")
		require.NoError(t, err)
	}
	created := event.New(event.PlanCreated{ID: "plan_1"}, now)
	wake()
	require.Contains(t, b.sent(t, takeOff), relaxed)
	require.Zero(t, b.count(t, "select count(wake_pending_since) from subscriptions"))

	require.NotContains(t, b.sent(t, takeOff), relaxed, "there was no mark")
	for name, also := range map[string]func(ctx context.Context, tx *db.Tx){
		"a queued write": func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Emit(ctx, b.env, created)) },
		"a write that returns something": func(ctx context.Context, tx *db.Tx) {
			_, err := tx.Subscriptions.MarkMethodChanged(ctx, b.env, b.customer.ID)
			require.NoError(t, err)
		},
	} {
		wake()
		require.NotContains(t, b.sent(t, func(ctx context.Context, tx *db.Tx) { takeOff(ctx, tx); also(ctx, tx) }), relaxed,
			"%s after it", name)
		wake()
		require.NotContains(t, b.sent(t, func(ctx context.Context, tx *db.Tx) { also(ctx, tx); takeOff(ctx, tx) }), relaxed,
			"%s before it", name)
	}
}
