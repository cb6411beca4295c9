package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
)

// PostgreSQL's plan for the claim depends on statistics. A nested loop once claimed every account that was due, and one
// of them was tested.
func TestClaimProviderTest_ClaimsOneWhateverThePlan(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]string{
		"as it is":       "",
		"by nested loop": "&enable_hashjoin=off&enable_mergejoin=off&enable_hashagg=off&enable_material=off&enable_sort=off",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.write(t, func(ctx context.Context, tx *db.Tx) {
				for range 2 {
					require.NoError(t, tx.Payments.InsertProviderConfig(ctx, b.env, db.ProviderConfig{
						ID: id.New(id.ProviderConfig, wall), Provider: "stripe", Credentials: sealed,
					}))
				}
			})
			_, err := b.pool.Exec(t.Context(), "update provider_configs set next_test_at = $1", wall.Add(-time.Hour))
			require.NoError(t, err)
			var due int
			require.NoError(t, b.pool.QueryRow(t.Context(), "select count(*) from provider_configs").Scan(&due))
			store, err := db.Open(t.Context(), db.Config{
				URL: b.pool.Config().ConnString() + settings, MaxConns: 1, Clock: func() time.Time { return wall },
			})
			require.NoError(t, err)
			t.Cleanup(store.Close)
			claimed := map[string]bool{}
			for range due {
				require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) error {
					_, config, found, err := tx.Payments.ClaimProviderTest(t.Context())
					require.True(t, found)
					claimed[config] = true
					return err
				}))
			}
			require.Len(t, claimed, due)
		})
	}
}
