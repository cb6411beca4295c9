package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/test/testdb"
)

func TestMigrate_EmptyDatabase(t *testing.T) {
	t.Parallel()
	url := testkit.Postgres(t, nil).URL
	current, wanted, err := db.SchemaVersion(t.Context(), url)
	require.NoError(t, err)
	require.Zero(t, current)
	schema, err := os.ReadDir("schema")
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%05d", wanted), schema[len(schema)-1].Name()[:5])

	require.NoError(t, errors.Join(atOnce(3, func(int) error {
		return db.Migrate(context.Background(), url, nil)
	})...), "processes that start together")
	current, wanted, err = db.SchemaVersion(t.Context(), url)
	require.NoError(t, err)
	require.Equal(t, wanted, current)
	require.NoError(t, db.Migrate(t.Context(), url, nil), "a repeat has nothing to do")
}

func TestMigrate_RefusesNewerSchema(t *testing.T) {
	t.Parallel()
	database := testdb.Migrated(t)
	_, err := database.Pool(t).Exec(t.Context(),
		"insert into goose_db_version (version_id, is_applied) values (999, true)")
	require.NoError(t, err)
	requireFault(t, db.Migrate(t.Context(), database.URL, nil), fault.Conflict, "schema_newer")
}

func TestOpen_ExplainsFailure(t *testing.T) {
	t.Parallel()
	url := testkit.Postgres(t, nil).URL
	clock := func() time.Time { return wall }
	_, err := db.Open(t.Context(), db.Config{URL: url})
	requireFault(t, err, fault.Invalid, "database_config_invalid")
	for _, bad := range []string{"postgres://user:secret@host:port/x", "postgres://user:secret@host/x?sslmode=perhaps"} {
		_, err = db.Open(t.Context(), db.Config{URL: bad, Clock: clock})
		requireFault(t, err, fault.Invalid, "database_config_invalid")
		require.NotContains(t, err.Error(), "secret")
	}
	const away = "postgres://127.0.0.1:1/x?connect_timeout=5" // nothing listens on port 1
	_, err = db.Open(t.Context(), db.Config{URL: away, Clock: clock})
	requireFault(t, err, fault.Unavailable, "database_unavailable")
	_, _, err = db.SchemaVersion(t.Context(), away)
	requireFault(t, err, fault.Unavailable, "database_unavailable")
}
