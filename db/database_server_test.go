package db_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/testkit"
)

// Locking a charge also reads the time at which the database came under its present server. The first transaction that
// finds another server records it, unless it is rolled back.
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
			_, payer, err := tx.Payments.LockTransactionWithPayer(t.Context(), b.env, txn.ID)
			require.NoError(t, err)
			restored = payer.RestoredAt.UTC()
			return end
		})
		require.ErrorIs(t, err, end)
		return restored
	}
	require.Zero(t, restoredAt(nil).Unix(), "it was never under another")
	for _, changed := range []string{
		"update database_server set identity = regexp_replace(identity, ':.*:', ':1:')",    // a dump was loaded
		"update database_server set identity = regexp_replace(identity, '.*?:', '1.5:')",   // another process serves it
		"update database_server set identity = regexp_replace(identity, ':[0-9]*$', ':1')", // it was copied there
	} {
		_, err := b.pool.Exec(t.Context(), changed)
		require.NoError(t, err)
		require.Equal(t, present.Add(time.Minute), restoredAt(context.Canceled))
		require.Equal(t, present.Add(time.Minute), restoredAt(nil), "the first one was rolled back")
		noticed := present
		require.Equal(t, noticed, restoredAt(nil), "it stays")
	}

	// A worker's beat records the new server first: a later charge cannot be one that was lost.
	_, err = b.pool.Exec(t.Context(), "update database_server set identity = 'another'")
	require.NoError(t, err)
	present = present.Add(time.Minute)
	require.NoError(t, store.InTx(t.Context(), db.BySystem("worker"), now, func(tx *db.Tx) error {
		return tx.Payments.NoteServer(t.Context())
	}))
	noticed := present
	require.Equal(t, noticed, restoredAt(nil))
}

// A copy of the database that takes its name within the same server is another one: `createdb --template` restores so.
func TestDatabaseServer_NoticesACopyInTheSameServer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, b.openInvoice(t).ID)
	url := b.pool.Config().ConnString()
	name := b.pool.Config().ConnConfig.Database
	b.store.Reset() // no connection may be left to a database that is copied
	b.store.Close()
	b.pool.Close()

	admin, err := pgx.Connect(t.Context(), testkit.Postgres(t, nil).URL)
	require.NoError(t, err)
	defer func() { require.NoError(t, admin.Close(context.WithoutCancel(t.Context()))) }()
	lost := name + "_lost"
	for _, statement := range []string{
		// Closing a pool does not wait until the server has seen its connections end.
		"select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name + "'",
		"create database " + name + "_copy template " + name,
		"alter database " + name + " rename to " + lost,
		"alter database " + name + "_copy rename to " + name,
		"drop database " + lost,
	} {
		_, err := admin.Exec(t.Context(), statement)
		require.NoError(t, err)
	}

	later := func() time.Time { return wall.Add(time.Hour) }
	store, err := db.Open(t.Context(), db.Config{URL: url, MaxConns: 1, Clock: later})
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		_, payer, err := tx.Payments.LockTransactionWithPayer(t.Context(), b.env, txn.ID)
		require.Equal(t, later(), payer.RestoredAt.UTC())
		return err
	}))
}

// The migration that adds the database's oid is no restore, and hides none that was not noticed yet.
func TestDatabaseServer_MigrationOfItsIdentity(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before string
		same   bool
	}{
		"the same server": {"", true},
		"restored, and not noticed before the migration": {"update database_server set identity = '1.5:1'", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := testkit.Postgres(t, nil)
			handle, err := sql.Open("pgx", database.URL)
			require.NoError(t, err)
			defer handle.Close()
			migrations, err := goose.NewProvider(goose.DialectPostgres, handle, os.DirFS("schema"))
			require.NoError(t, err)
			_, err = migrations.UpTo(t.Context(), 51)
			require.NoError(t, err)
			pool := database.Pool(t)
			_, err = pool.Exec(t.Context(), c.before)
			require.NoError(t, err)
			require.NoError(t, db.Migrate(t.Context(), database.URL, nil))
			var same bool
			require.NoError(t, pool.QueryRow(t.Context(),
				"select identity = database_identity() from database_server").Scan(&same))
			require.Equal(t, c.same, same)
		})
	}
}
