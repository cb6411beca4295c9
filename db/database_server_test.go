package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// Who locks a charge learns when the database came under its present server. The first that finds another one writes it,
// unless its transaction is rolled back.
func TestDatabaseServer_NoticesAnotherOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, b.openInvoice(t).ID)
	present := wall
	store, err := db.Open(t.Context(), db.Config{
		URL: b.pool.Config().ConnString(), MaxConns: 1, Clock: func() time.Time { return present },
	})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	restoredAt := func(end error) (restored time.Time) {
		t.Helper()
		present = present.Add(time.Minute)
		err := store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
			_, payer, err := tx.LockTransactionWithPayer(t.Context(), b.env, txn.ID)
			require.NoError(t, err)
			restored = payer.RestoredAt.UTC()
			return end
		})
		require.ErrorIs(t, err, end)
		return restored
	}
	require.Zero(t, restoredAt(nil).Unix(), "it was never under another")
	for _, changed := range []string{
		"update database_server set identity = split_part(identity, ':', 1) || ':1'",   // a dump was loaded
		"update database_server set identity = '1.5:' || split_part(identity, ':', 2)", // another process serves it
	} {
		_, err := b.pool.Exec(t.Context(), changed)
		require.NoError(t, err)
		require.Equal(t, present.Add(time.Minute), restoredAt(context.Canceled))
		require.Equal(t, present.Add(time.Minute), restoredAt(nil), "the first one was rolled back")
		noticed := present
		require.Equal(t, noticed, restoredAt(nil), "it stays")
	}
}
