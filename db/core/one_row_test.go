package core

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/db/internal/dbsqlc"
	"perennial/internal/testkit"
)

// emptyStore is on a database without tables.
func emptyStore(t *testing.T) *Store {
	t.Helper()
	database := testkit.Postgres(t, func(context.Context, string) error { return nil })
	store, err := Open(t.Context(), Config{URL: database.URL, MaxConns: 2, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// A row is scanned as pgx scans it, also by plans that were made for an earlier one.
func TestOneRow_IsWhatPgxScans(t *testing.T) {
	t.Parallel()
	store := emptyStore(t)
	type name string
	const sql = "select $1::text, $2::bigint, null::timestamptz, $3::jsonb, $4::text[] where $2 > 0"
	ask := func(n int64, dest ...any) error {
		return store.Reads().Handle.QueryRow(t.Context(), sql, "x", n, map[string]int{"a": 1},
			[]string{"p", "q"}).Scan(dest...)
	}
	for range 3 { // more than the connections that the first ones used
		var text name
		var number int
		var never *time.Time
		var object map[string]int
		var list []string
		require.NoError(t, ask(7, &text, &number, &never, &object, &list))
		require.Equal(t, name("x"), text)
		require.Equal(t, 7, number)
		require.Nil(t, never)
		require.Equal(t, map[string]int{"a": 1}, object)
		require.Equal(t, []string{"p", "q"}, list)

		var other *string // other types of the same columns
		require.NoError(t, ask(8, &other, new(int64), new(*time.Time), new([]byte), new([]name)))
		require.Equal(t, "x", *other)

		require.ErrorIs(t, ask(0, &text, &number, &never, &object, &list), pgx.ErrNoRows)
		require.Error(t, ask(7, &text, &number))
		wrong := ask(7, &text, new(bool), &never, &object, &list)
		var column pgx.ScanArgError
		require.ErrorAs(t, wrong, &column)
		require.Equal(t, 1, column.ColumnIndex)
	}
	err := store.Reads().Handle.QueryRow(t.Context(), "select 1 / $1::int", 0).Scan(new(int))
	require.ErrorContains(t, err, "division by zero")

	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, store.Reads().Handle.QueryRow(ended, sql, "x", 1, nil, nil).Scan(), context.Canceled)
	require.Zero(t, store.Stat().AcquiredConns()) // whatever the result, the connection was returned
}

// The same in a batch.
func TestOneRow_Together(t *testing.T) {
	t.Parallel()
	store := emptyStore(t)
	read := func(n int, into *int) func(dbsqlc.DBTX) error {
		return func(h dbsqlc.DBTX) error { return h.QueryRow(t.Context(), "select $1::int where $1 > 0", n).Scan(into) }
	}
	var one, two int
	require.NoError(t, store.Reads().Together(t.Context(), read(1, &one), read(2, &two)))
	require.Equal(t, []int{1, 2}, []int{one, two})
	require.ErrorIs(t, store.Reads().Together(t.Context(), read(0, &one), read(3, &two)), pgx.ErrNoRows)
	require.NoError(t, store.Reads().Together(t.Context(), read(4, &one), read(5, &two)))
	require.Equal(t, []int{4, 5}, []int{one, two})
	require.Zero(t, store.Stat().AcquiredConns())
}
