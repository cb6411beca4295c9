package db_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
)

// usageStatements is a store whose statements about usage are explained, in a database that nothing has analyzed: plans
// are those of empty tables until autovacuum comes, a minute later.
type usageStatements struct {
	*bundle
	store  *db.Store
	trace  *lastQuery
	metric usage.Metric
}

func newUsageStatements(t *testing.T) *usageStatements {
	t.Helper()
	s := &usageStatements{bundle: setup(t), trace: &lastQuery{}}
	var err error
	s.store, err = db.Open(t.Context(), db.Config{
		URL: s.pool.Config().ConnString(), MaxConns: 2, Clock: func() time.Time { return wall }, Tracer: s.trace,
	})
	require.NoError(t, err)
	t.Cleanup(s.store.Close)
	s.metric = usage.Metric{
		ID: id.New(id.Metric, wall), Version: 1, Name: "calls", DisplayName: "calls", Active: true, CreatedAt: wall,
		VersionAt: wall, Definition: usage.Definition{Aggregation: usage.Sum},
	}
	s.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Usage.InsertMetric(ctx, s.env, s.metric))
	})
	return s
}

// read explains the last statement of a name with the plan that a prepared statement keeps, and returns how many rows
// it reads.
func (s *usageStatements) read(t *testing.T, name string) int {
	t.Helper()
	for _, q := range s.trace.take() {
		if !strings.HasPrefix(q.sql, "-- name: "+name+" ") {
			continue
		}
		tx, err := s.pool.Begin(t.Context())
		require.NoError(t, err)
		defer func() { require.NoError(t, tx.Rollback(context.WithoutCancel(t.Context()))) }()
		_, err = tx.Exec(t.Context(), "set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off")
		require.NoError(t, err)
		args := append([]any{pgx.QueryExecModeCacheDescribe}, q.args...)
		var out []byte
		require.NoError(t, tx.QueryRow(t.Context(), "explain (analyze, format json) "+q.sql, args...).Scan(&out))
		var plans []struct{ Plan planNode }
		require.NoError(t, json.Unmarshal(out, &plans))
		return plans[0].Plan.read()
	}
	t.Fatalf("no statement %s was sent", name)
	return 0
}

// A batch looks up each subscription and metric once, however many records it has of them.
func TestUsageInsert_LooksUpOnce(t *testing.T) {
	t.Parallel()
	s := newUsageStatements(t)
	records := make([]db.NewUsage, 200)
	for i := range records {
		r := usage.Record{
			ID: id.New(id.UsageRecord, wall), SubscriptionID: s.subscription.ID, Metric: "calls", Quantity: money.Whole(1),
			Key: fmt.Sprint(i),
		}
		records[i] = db.NewUsage{Record: r, Fingerprint: r.Fingerprint()}
	}
	taken, err := s.store.UsageLog().RecordUsage(t.Context(), db.BySystem("test"), s.env, wall, records)
	require.NoError(t, err)
	for _, one := range taken {
		require.True(t, one.Taken)
	}
	require.Less(t, s.read(t, "UsageInsert"), 10)
}

// Hours at the edges of a period are read by themselves: not what else there is of the metric.
func TestUsageSeries_ReadsTheHoursOfItsEdges(t *testing.T) {
	t.Parallel()
	s := newUsageStatements(t)
	hour := usage.Hour(wall)
	_, err := s.pool.Exec(t.Context(), `insert into usage_records
		(at, environment_id, subscription_id, metric_id, id, quantity)
		select $1::timestamptz + i * interval '1 minute', $2, $3, $4, 'usg_' || i, 1 from generate_series(0, 19999) i`,
		hour, s.env, s.subscription.ID, s.metric.ID)
	require.NoError(t, err)
	_, err = s.pool.Exec(t.Context(), "update usage_progress set position = (select max(position) from usage_records)")
	require.NoError(t, err)
	totals, err := s.store.UsageLog().UsageSeries(t.Context(), s.env, s.subscription.ID, s.metric,
		[]usage.Span{{Start: hour.Add(30 * time.Minute), End: hour.Add(90 * time.Minute)}}, nil)
	require.NoError(t, err)
	require.Equal(t, "60", totals[0].Sum().String())
	require.LessOrEqual(t, s.read(t, "UsageHourList"), 121)
}
