package testkit

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// guarded is a schema with all that a reset has to get past: rows of the migration, a sequence, a foreign key, a
// trigger that forbids to delete, and partitions.
func guarded(ctx context.Context, url string) error {
	return admin(ctx, url, `
		CREATE TABLE parents (id int PRIMARY KEY);
		INSERT INTO parents VALUES (1), (2);
		CREATE TABLE children (id bigint GENERATED ALWAYS AS IDENTITY, parent int REFERENCES parents, twice int GENERATED ALWAYS AS (parent * 2) STORED);
		INSERT INTO children (parent) VALUES (1);
		CREATE TABLE parts (n int) PARTITION BY RANGE (n);
		CREATE TABLE parts_few PARTITION OF parts FOR VALUES FROM (0) TO (9);
		CREATE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'never'; END $$;
		CREATE TRIGGER never BEFORE DELETE OR TRUNCATE ON parents EXECUTE FUNCTION never();`)
}

// inTurn runs each in a test of its own, one after the other, so that a database goes from one to the next.
func inTurn(t *testing.T, migrate Migrate, tests ...func(t *testing.T, conn *pgx.Conn)) (urls []string) {
	t.Helper()
	for _, test := range tests {
		t.Run("", func(t *testing.T) {
			database := Postgres(t, migrate)
			urls = append(urls, database.URL)
			conn, err := pgx.Connect(t.Context(), database.URL)
			require.NoError(t, err)
			test(t, conn) // never closed: a reset must not wait for it
		})
	}
	return urls
}

const contents = `SELECT (SELECT array_agg(id ORDER BY id) FROM parents), (SELECT array_agg(id || ':' || twice) FROM children),
	(SELECT count(*) FROM parts), (SELECT last_value FROM pg_sequences WHERE sequencename = 'children_id_seq')`

func TestPostgres_NextTestSeesWhatTheMigrationLeft(t *testing.T) { //nolint:tparallel // in turn
	t.Parallel()
	look := func(t *testing.T, conn *pgx.Conn) {
		t.Helper()
		var parents []int
		var children []string
		var parts, last int
		require.NoError(t, conn.QueryRow(t.Context(), contents).Scan(&parents, &children, &parts, &last))
		require.Equal(t, []int{1, 2}, parents)
		require.Equal(t, []string{"1:2"}, children)
		require.Zero(t, parts)
		require.Equal(t, 1, last)
	}
	urls := inTurn(t, guarded, look, func(t *testing.T, conn *pgx.Conn) {
		_, err := conn.Exec(t.Context(), `INSERT INTO parents VALUES (3); INSERT INTO children (parent) VALUES (3), (3);
			INSERT INTO parts VALUES (5); UPDATE children SET parent = 2 WHERE id = 1; BEGIN; LOCK parents`)
		require.NoError(t, err)
	}, look)
	require.Equal(t, urls[0], urls[1])
	require.Equal(t, urls[0], urls[2])
}

func TestPostgres_ChangedSchemaIsDropped(t *testing.T) { //nolint:tparallel // in turn
	t.Parallel()
	for name, change := range map[string]string{
		"column":   "ALTER TABLE t ADD m int",
		"table":    "CREATE TABLE more ()",
		"function": "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
		"index":    "CREATE INDEX ON t (n)",
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // in turn
			once := func(ctx context.Context, url string) error { return oneTable(ctx, url) }
			urls := inTurn(t, once, func(t *testing.T, conn *pgx.Conn) {
				_, err := conn.Exec(t.Context(), change)
				require.NoError(t, err)
			}, func(*testing.T, *pgx.Conn) {})
			require.NotEqual(t, urls[0], urls[1])
		})
	}
}
