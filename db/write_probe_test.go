package db_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/testkit"
)

// fullDisk makes PostgreSQL refuse the probe as with a full disk.
const fullDisk = `create function full_disk() returns trigger language plpgsql as $$
	begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
	create trigger full_disk before update on write_probe execute function full_disk()`

// Where no file can be written the database takes no writes, although small changes of rows find room in their pages.
func TestProbeWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ broken, says string }{
		"all is well":        {},
		"read-only":          {"alter database {database} set default_transaction_read_only = on", "read-only"},
		"no room for a file": {"alter database {database} set temp_file_limit = '128kB'", "temporary file size exceeds"},
		"no room for a row":  {fullDisk, "No space left on device"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := testkit.Postgres(t, func(ctx context.Context, url string) error { // its own: settings are changed
				return db.Migrate(ctx, url, nil)
			})
			pool := database.Pool(t)
			if c.broken != "" {
				named := pgx.Identifier{pool.Config().ConnConfig.Database}.Sanitize()
				_, err := pool.Exec(t.Context(), strings.ReplaceAll(c.broken, "{database}", named))
				require.NoError(t, err)
			}
			store, err := db.Open(t.Context(), db.Config{URL: database.URL, MaxConns: 1, Clock: time.Now})
			require.NoError(t, err)
			defer store.Close()
			err = store.ProbeWrite(t.Context())
			if c.broken == "" {
				require.NoError(t, err)
				return
			}
			require.Equal(t, fault.Unavailable, fault.From(err).Kind)
			require.ErrorContains(t, err, c.says)
		})
	}
}
