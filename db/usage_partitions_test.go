package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
)

// A record of a month without a partition is taken, and gets into the partition once it is made.
func TestMaintainUsage_EmptiesDefaultPartition(t *testing.T) {
	t.Parallel()
	b := setup(t)
	exec := func(sql string) {
		t.Helper()
		_, err := b.pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	where := func() (table string) {
		t.Helper()
		require.NoError(t, b.pool.QueryRow(t.Context(), "select tableoid::regclass::text from usage_records").Scan(&table))
		return table
	}
	ready := func() bool {
		t.Helper()
		is, err := b.store.Usage.MonthReady(t.Context(), db.UsageMonthsReady)
		require.NoError(t, err)
		return is
	}
	require.True(t, ready())
	exec(`do $$ begin
		execute 'drop table usage_records_' || to_char((now() at time zone 'UTC') + interval '2 months', 'YYYY_MM');
	end $$`)
	require.False(t, ready())
	exec(`insert into usage_records (at, received_at, environment_id, subscription_id, metric_id, id, quantity)
		values (now(), now() + interval '2 months', 'env_1', 'sub_1', 'met_1', 'usg_1', 1)`)
	require.Equal(t, "usage_records_default", where())
	exec("select maintain_usage_partitions(2, interval '400 days')")
	require.True(t, ready())
	require.Regexp(t, `^usage_records_\d{4}_\d{2}$`, where())
	exec("update usage_records set received_at = now() - interval '401 days'") // to the default partition again
	require.Equal(t, "usage_records_default", where())
	exec("select maintain_usage_partitions(2, interval '400 days')")
	var left int
	require.NoError(t, b.pool.QueryRow(t.Context(), "select count(*) from usage_records").Scan(&left))
	require.Zero(t, left)
}

// A long query about usage delays a new partition, and no other statement waits behind the partition.
func TestMaintainUsage_WaitsForNoReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `do $$ begin
		execute 'drop table usage_records_' || to_char((now() at time zone 'UTC') + interval '2 months', 'YYYY_MM');
	end $$`)
	require.NoError(t, err)
	maintained := func() bool {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var within string // the function's lock_timeout is gone with it
		require.NoError(t, b.pool.QueryRow(ctx, `select current_setting('lock_timeout')
			from maintain_usage_partitions(2, interval '400 days')`).Scan(&within))
		require.Equal(t, "0", within)
		is, err := b.store.Usage.MonthReady(ctx, 2)
		require.NoError(t, err)
		return is
	}
	reader, err := b.pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = reader.Exec(t.Context(), "select from usage_records")
	require.NoError(t, err)
	require.False(t, maintained())
	require.NoError(t, reader.Rollback(t.Context()))
	require.True(t, maintained())
}
