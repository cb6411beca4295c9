package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
)

func TestCallbacks_StoredOnceFoundUntilProcessed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	txn := b.pendingCharge(t, "")
	insert := func(eventID, transactionID, ref string, at time.Time) (stored bool) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			var err error
			stored, err = tx.Payments.InsertCallback(ctx, b.env, db.Callback{
				ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: eventID, Type: "charge",
				TransactionID: transactionID, ProviderRef: ref, ReceivedAt: at,
			})
			require.NoError(t, err)
		})
		return stored
	}
	open := func() []db.TransactionRef {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.ClaimCallbacks(ctx, wall.Add(-time.Second)))
		})
		found, err := b.store.Reconcile.OpenCallbacksBefore(ctx, wall.Add(time.Hour), 10)
		require.NoError(t, err)
		return found
	}
	process := func(before time.Time) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.MarkCallbacksProcessed(ctx, b.env, txn.ID,
				db.LookedAt{Refs: []string{"", "pi_1"}, At: before}))
		})
	}
	its := []db.TransactionRef{{Ref: db.Ref{EnvironmentID: b.env, ID: txn.ID}}}
	require.True(t, insert("evt_1", "", "pi_1", wall), "not known by it yet")
	require.False(t, insert("evt_1", "", "pi_1", wall), "providers repeat themselves")
	require.Empty(t, open(), "nobody to ask")
	txn.ProviderRef = "pi_1"
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, txn)) })
	require.Equal(t, its, open(), "now it is known whose it is")
	require.True(t, insert("evt_2", txn.ID, "", wall.Add(time.Second)))
	require.Equal(t, its, open(), "each transaction once")
	require.True(t, insert("evt_3", txn.ID, "", wall.Add(time.Minute)))
	require.True(t, insert("evt_4", "", "pi_1", wall.Add(time.Minute)))
	process(wall.Add(2 * time.Second))
	require.Equal(t, its, open(), "what came after the look at the provider is open")
	process(wall.Add(time.Minute))
	require.Empty(t, open())
}

func TestCallbacks_GivenUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	txn := b.pendingCharge(t, "")
	insert := func(eventID, transactionID, ref string, at time.Time) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			_, err := tx.Payments.InsertCallback(ctx, b.env, db.Callback{
				ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: eventID, Type: "charge",
				TransactionID: transactionID, ProviderRef: ref, ReceivedAt: at,
			})
			require.NoError(t, err)
		})
	}
	left := func() (eventIDs []string) {
		rows, err := b.pool.Query(ctx,
			"select provider_event_id from provider_callbacks where processed_at is null order by 1")
		require.NoError(t, err)
		eventIDs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return eventIDs
	}
	do := func(what func(*db.Tx) (int, error)) (n int) {
		b.write(t, func(_ context.Context, tx *db.Tx) {
			var err error
			n, err = what(tx)
			require.NoError(t, err)
		})
		return n
	}
	insert("evt_nobody", "", "", wall)
	require.Empty(t, left(), "it names nothing, and never will")
	insert("evt_ours", txn.ID, "", wall)
	insert("evt_foreign", "", "pi_other", wall)
	insert("evt_foreign_2", "", "pi_other", wall)
	insert("evt_young", "", "pi_young", wall.Add(time.Hour))

	giveUp := func(tx *db.Tx) (int, error) {
		given, err := tx.Payments.GiveUpCallbacks(ctx, wall.Add(time.Minute), wall, wall, 1)
		require.Zero(t, given.Unanswered)
		return given.Unclaimed, err
	}
	require.Equal(t, 1, do(giveUp), "in portions")
	require.Equal(t, 1, do(giveUp))
	require.Zero(t, do(giveUp))
	require.Equal(t, []string{"evt_ours", "evt_young"}, left(), "not what is a transaction's, nor what is young")

	purge := func(tx *db.Tx) (int, error) { return tx.Payments.PurgeCallbacks(ctx, wall.Add(2*time.Hour), 2) }
	require.Equal(t, 2, do(purge), "in portions")
	require.Equal(t, 1, do(purge))
	require.Zero(t, do(purge))
	require.Equal(t, []string{"evt_ours", "evt_young"}, left(), "not what is open")
	require.Equal(t, 2, b.count(t, "select count(*) from provider_callbacks"))

	require.Equal(t, 1, do(func(tx *db.Tx) (int, error) {
		given, err := tx.Payments.GiveUpCallbacks(ctx, wall, wall.Add(time.Minute), wall, 10)
		return given.Unanswered, err
	}), "what is ours waits longer, not for ever")
	require.Equal(t, []string{"evt_young"}, left())
}

// A provider that does not answer for its own word is asked ever less often.
func TestCallbacks_FollowedInGrowingGaps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, "")
	ask := func(at time.Time) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, db.ProviderCall{
				ID: id.New(id.ProviderCall, at), TransactionID: txn.ID, Operation: db.CallLookup, StartedAt: at,
			}))
		})
	}
	open := func(at time.Time) bool {
		found, err := b.store.Reconcile.OpenCallbacksBefore(t.Context(), at, 10)
		require.NoError(t, err)
		return len(found) == 1
	}
	ask(wall.Add(-time.Hour)) // before the word came
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		_, err := tx.Payments.InsertCallback(ctx, b.env, db.Callback{
			ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: "evt_1", Type: "charge",
			TransactionID: txn.ID, ReceivedAt: wall,
		})
		require.NoError(t, err)
	})
	require.True(t, open(wall.Add(time.Second)))
	ask(wall.Add(time.Minute))
	require.False(t, open(wall.Add(70*time.Second)))
	require.True(t, open(wall.Add(81*time.Second)))
	ask(wall.Add(24 * time.Hour))
	require.False(t, open(wall.Add(31*time.Hour)))
	require.True(t, open(wall.Add(33*time.Hour)))
}
