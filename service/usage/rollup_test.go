package usage

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/test/scene"
)

// A metric whose aggregates cannot be read delays no others.
func TestRollUpUsage_GoesOnPastFailingVersion(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	metrics := h.meters(t)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), h.Clock.Now().Add(-time.Hour)).ID
	at := h.Clock.Now().Truncate(time.Microsecond)
	record := func(key string) {
		for _, m := range metrics {
			_, err := h.RecordUsage(t.Context(), h.caller, usage.Record{
				SubscriptionID: sub, Metric: m.Name, Key: fmt.Sprint(m.Name, key), Quantity: money.Whole(1), At: at,
				Properties: usage.Properties{"user": "ada"},
			})
			require.NoError(t, err)
		}
	}
	record("1")
	_, err := h.RollUpRecorded(t.Context())
	require.NoError(t, err)
	_, err = h.Pool.Exec(t.Context(), `update usage_aggregates set state = '"unreadable"'
		where version_id = $1`, metrics[0].ID)
	require.NoError(t, err)
	for key, merge := range map[string]func() (int, error){
		"2": func() (int, error) { return h.RollUpRecorded(t.Context()) },
		"3": func() (int, error) { return h.RollUpUsage(t.Context()) },
	} {
		record(key)
		n, err := merge()
		require.ErrorContains(t, err, metrics[0].ID)
		require.Equal(t, len(metrics)-1, n)
	}
}

// Unreadable aggregates are an error instead of a quantity, with dimensions separate or added up.
func TestQuantities_RefuseUnreadableAggregates(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), h.Clock.Now().Add(-time.Hour)).ID
	periods := []usage.Span{{Start: h.Clock.Now().Add(-24 * time.Hour), End: h.Clock.Now().Add(24 * time.Hour)}}
	for _, aggregation := range []usage.Aggregation{usage.Sum, usage.Count} {
		of, err := h.CreateMetric(t.Context(), h.caller, NewMetric{
			Name: string(aggregation), Definition: usage.Definition{Aggregation: aggregation, GroupBy: []string{"region"}},
		}, nil)
		require.NoError(t, err)
		for _, region := range []string{"eu", "us"} {
			_, err := h.RecordUsage(t.Context(), h.caller, usage.Record{
				SubscriptionID: sub, Metric: of.Name, Key: of.Name + region, Quantity: money.Whole(1),
				Properties: usage.Properties{"region": region},
			})
			require.NoError(t, err)
		}
		_, err = h.RollUpRecorded(t.Context())
		require.NoError(t, err)
		for _, by := range [][]string{nil, {"region"}} {
			totals, err := h.Quantities(t.Context(), h.Env, sub, of, periods, by)
			require.NoError(t, err)
			require.Equal(t, "2", totals[0].Sum().String())
		}
		_, err = h.Pool.Exec(t.Context(), `update usage_aggregates set state = '"unreadable"'
			where version_id = $1 and dimension = '["eu"]'`, of.ID)
		require.NoError(t, err)
		for _, by := range [][]string{nil, {"region"}} {
			_, err := h.Quantities(t.Context(), h.Env, sub, of, periods, by)
			require.Error(t, err, by)
		}
	}
}
