package db_test

import (
	"context"
	"database/sql"
	"os"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/testkit"
)

// migratedTo makes a database with the schema of a version. It is no copy of a template: those are told apart by the code
// of their migration, which is the same for every version.
func migratedTo(t *testing.T, version int64) *testkit.Database {
	t.Helper()
	database := testkit.Postgres(t, nil)
	handle, err := sql.Open("pgx", database.URL)
	require.NoError(t, err)
	defer handle.Close()
	migrations, err := goose.NewProvider(goose.DialectPostgres, handle, os.DirFS("schema"))
	require.NoError(t, err)
	_, err = migrations.UpTo(t.Context(), version)
	require.NoError(t, err)
	return database
}

// While the payments of a busy installation are migrated, none waits for more than a lock that is asked for for a
// second. A row that a command holds is not waited for while others are held; and an index that an interrupted
// migration has left is built again.
func TestMigrate_PaymentsGoOn(t *testing.T) {
	t.Parallel()
	database := migratedTo(t, 54)
	pool := database.Pool(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := pool.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	exec(`insert into tenants values ('ten', 't', now())`)
	exec(`insert into apps (id, tenant_id, name, keyset, created_at) values ('app', 'ten', 'a', '', now())`)
	for _, mode := range []string{"test", "live"} {
		exec(`
			insert into environments (id, app_id, mode, time_zone, retry_base_seconds, retry_factor, retry_count,
				retry_jitter_seconds, past_due_billing, created_at)
			values ($1, 'app', $1, 'UTC', 60, 1, 1, 0, 'skip', now())`, mode)
	}
	conn, err := pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	_, err = conn.Exec(t.Context(), `
		set session_replication_role = replica;
		insert into transactions (id, environment_id, position, type, status, customer_id, amount, currency, description,
			trigger, amount_refunded, send_number, checks, not_found_count, due_at, completed_at, created_at)
		select 'txn_' || n, case when n % 5 = 0 then 'live' else 'test' end, n, 'charge', 'success', 'cust', 100, 'EUR', '',
			'automatic', 0, 1, 0, 0, now(), now(), now()
		from generate_series(1, 3000) n;
		select setval('list_position', 3000);
		set session_replication_role = origin;
		create index transactions_created on transactions (created_at)`)
	require.NoError(t, err)

	reading, err := conn.Begin(t.Context()) // a long read: the columns cannot be added
	require.NoError(t, err)
	_, err = reading.Exec(t.Context(), "select from transactions where id = 'txn_1'")
	require.NoError(t, err)
	migrated := make(chan error, 1)
	go func() { migrated <- db.Migrate(context.WithoutCancel(t.Context()), database.URL, nil) }()
	column := func() (there bool) {
		require.NoError(t, pool.QueryRow(t.Context(), `select exists (select from information_schema.columns
			where table_name = 'transactions' and column_name = 'created_virtually')`).Scan(&there))
		return there
	}
	var longest time.Duration
	reads := func(until func() bool) {
		for !until() {
			before := time.Now()
			exec("select from transactions where environment_id = 'live' and id = 'txn_5'")
			longest = max(longest, time.Since(before))
			time.Sleep(5 * time.Millisecond)
		}
	}
	began := time.Now()
	reads(func() bool { return time.Since(began) > 4*time.Second })
	require.False(t, column(), "the long read lasts")
	require.NoError(t, reading.Rollback(t.Context()))

	command, err := conn.Begin(t.Context())
	require.NoError(t, err)
	_, err = command.Exec(t.Context(), "update transactions set description = 'x' where id = 'txn_2'")
	require.NoError(t, err)
	began = time.Now()
	reads(func() bool { return time.Since(began) > 3*time.Second })
	_, err = command.Exec(t.Context(), "update transactions set description = 'x' where id = 'txn_1'")
	require.NoError(t, err, "no circle")
	require.NoError(t, command.Commit(t.Context()))
	reads(func() bool { return len(migrated) > 0 })

	require.NoError(t, <-migrated)
	t.Logf("the longest read took %s", longest)
	require.Greater(t, longest, 500*time.Millisecond, "a lock was asked for meanwhile")
	require.Less(t, longest, 3*time.Second)
	var virtual, wrong, broken int
	require.NoError(t, pool.QueryRow(t.Context(), `
		select count(*) filter (where created_virtually),
			count(*) filter (where created_virtually <> (environment_id = 'test')), (select count(*) from pg_index where not indisvalid)
		from transactions`).Scan(&virtual, &wrong, &broken))
	require.Equal(t, [3]int{2400, 0, 0}, [3]int{virtual, wrong, broken})
	var definition string
	require.NoError(t, pool.QueryRow(t.Context(),
		"select indexdef from pg_indexes where indexname = 'transactions_created'").Scan(&definition))
	require.Contains(t, definition, "created_virtually")
}
