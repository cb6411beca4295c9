package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/quota"
)

// The shared bucket in PostgreSQL does what internal/quota expects of it. Its clock is real, so that the rate is low
// here.
func TestSpendKeyRequests_FillsAndOwes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	limit := quota.Limit{PerSecond: 1, Burst: 1000}
	spend := func(requests int, within time.Duration) (left float64) {
		t.Helper()
		require.NoError(t, b.store.InTx(t.Context(), db.BySystem("test"), wall, func(tx *db.Tx) error {
			all, err := tx.Tenancy.SpendKeyRequests(
				t.Context(), map[string]quota.Spent{"k": {Requests: requests, Within: within}}, limit,
			)
			left = all["k"]
			return err
		}))
		return left
	}
	pass := func(seconds int) {
		_, err := b.pool.Exec(context.WithoutCancel(t.Context()),
			"update api_key_buckets set at = at - make_interval(secs => $1)", seconds)
		require.NoError(t, err)
	}
	near := func(want, got float64) {
		t.Helper()
		require.InDelta(t, want, got, 100) // a slow machine's seconds
	}
	near(400, spend(600, 0))
	near(-200, spend(600, 0))
	near(-10_000, spend(1_000_000, 0))
	pass(20_000)
	near(0, spend(1000, 0)) // full, and all of it spent
	pass(5000)
	near(0, spend(5000, 5000*time.Second)) // a late report of who kept the rate
	pass(5000)
	near(500, spend(1500, 1000*time.Second)) // a pause before it earns nothing
	_, err := b.pool.Exec(t.Context(), "truncate api_key_buckets")
	require.NoError(t, err)
	near(900, spend(5100, 5000*time.Second)) // the first report may be late too
	near(-10_000, func() float64 { return spend(1_000_000, 0) }())
}
