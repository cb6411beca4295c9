package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

func TestMetrics_Versions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.meter(t, b.test)
	list := as[httpkit.List[Metric]](t, 200, b.ask(t, b.test, "GET", "/api/metrics", nil)).Data
	require.Len(t, list, 2)
	path := "/api/metrics/" + list[1].ID
	problem(t, 409, "metric_name_taken", "name",
		b.ask(t, b.test, "POST", "/api/metrics", `{"name":"users","aggregation":"sum"}`))
	problem(t, 409, "metric_version_unchanged", "",
		b.ask(t, b.test, "PATCH", path, `{"definition":{"aggregation":"sum","groupBy":["region"]}}`))
	problem(t, 422, "metric_property_unclear", "definition.keyProperty",
		b.ask(t, b.test, "PATCH", path, `{"definition":{"aggregation":"unique_count"}}`))
	for i, q := range []string{"1", "4"} {
		require.Equal(t, 201, b.ask(t, b.test, "POST", "/api/usage",
			replaceField(usageBody(sub, fmt.Sprint(i), ""), "quantity", q)).Status)
	}
	_, err := b.deps.Service.Usage.RollUpUsage(t.Context())
	require.NoError(t, err)
	second := as[Metric](t, 200, b.ask(t, b.test, "PATCH", path,
		`{"displayName":"Calls","definition":{"aggregation":"max","conversion":{"divideBy":"3","rounding":"up"}}}`))
	require.Equal(t, []any{list[1].ID, 2, "Calls"}, []any{second.ID, second.Version, second.DisplayName})
	// Earlier records count in the new version, also before they are aggregated.
	for range 2 {
		summary := as[UsageSummary](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub+"/usage?metric=api_calls", nil))
		require.Equal(t, []any{Number("2"), 2}, []any{summary.Data[0].Quantity, summary.Data[0].MetricVersion})
		_, err := b.deps.Service.Usage.RollUpUsage(t.Context())
		require.NoError(t, err)
	}
	versions := as[httpkit.List[Metric]](t, 200, b.ask(t, b.test, "GET", path+"/versions", nil)).Data
	require.Equal(t, []int{2, 1}, []int{versions[0].Version, versions[1].Version})
	problem(t, 422, "usage_group_unknown", "groupBy",
		b.ask(t, b.test, "GET", "/api/subscriptions/"+sub+"/usage?metric=api_calls&groupBy=region", nil))
}
