package db

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db/core"
	"perennial/db/internal/rows"
	"perennial/internal/testkit"
)

// sqlc checks the queries in db/queries against the schema; of the statements of package rows the server does it.
func TestRows_ThePresentSchemaTakesEachStatement(t *testing.T) {
	t.Parallel()
	database := testkit.Postgres(t, func(ctx context.Context, url string) error { return Migrate(ctx, url, nil) })
	conn, err := database.Pool(t).Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	names := map[string]bool{}
	for _, sql := range rows.Written() {
		name := core.QueryName(sql)
		require.False(t, names[name], "two statements are called %s", name)
		names[name] = true
		_, err := conn.Conn().Prepare(t.Context(), name, sql)
		require.NoError(t, err, name)
		require.False(t, core.PlainRead(sql), name)
		require.NotContains(t, strings.ToLower(sql), "@", name)
	}
}
