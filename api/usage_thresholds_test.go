package api

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
)

// A plan has thresholds in versions, as its prices; a subscription has others in their place, or none, until it takes
// the plan's again.
func TestUsageThresholds_OfPlansAndSubscriptions(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path, body string) response { return b.ask(t, b.test, method, path, body) }
	as[Metric](t, 201, ask("POST", "/api/metrics", `{"name":"calls","aggregation":"sum"}`))
	form := func(thresholds string) string {
		return `{"name":"Calls","currency":"USD","interval":"month","amount":1000,"commitment":{"amount":5000},
			"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"2"}]}],
			"usageThresholds":` + thresholds + `}`
	}
	problem(t, 422, "usage_threshold_invalid", "usageThresholds[0].metricName",
		ask("POST", "/api/plans", form(`[{"metricName":"seats","quantity":"5"}]`)))
	problem(t, 422, "usage_threshold_invalid", "usageThresholds[1]",
		ask("POST", "/api/plans", form(`[{"amount":5},{"amount":6,"percent":"80"}]`)))
	problem(t, 422, "decimal_invalid", "usageThresholds[0].percent", ask("POST", "/api/plans", form(`[{"percent":"x"}]`)))

	made := as[Plan](t, 201, ask("POST", "/api/plans",
		form(`[{"amount":4000,"invoice":true},{"percent":"80"},{"metricName":"calls","quantity":"1000"}]`)))

	require.Equal(t, []view.UsageThreshold{
		{Amount: 4000, Invoice: true}, {Percent: "80"}, {MetricName: "calls", Quantity: "1000"},
	}, made.UsageThresholds)
	path := "/api/plans/" + made.ID
	require.Equal(t, made, as[Plan](t, 200, ask("GET", path, "")))
	problem(t, 409, "plan_version_unchanged", "prices", ask("POST", path+"/versions",
		`{"usageThresholds":[{"amount":4000,"invoice":true},{"percent":"80.0"},{"metricName":"calls","quantity":"1000"}]}`))
	dearer := as[Plan](t, 201, ask("POST", path+"/versions", `{"amount":1500}`))
	require.Equal(t, made.UsageThresholds, dearer.UsageThresholds)
	require.Empty(t, as[Plan](t, 201, ask("POST", path+"/versions", `{"usageThresholds":[]}`)).UsageThresholds)

	sub := b.subscribeTo(t, made.ID)
	require.Nil(t, sub.UsageThresholds)
	patch := func(body string) response { return ask("PATCH", "/api/subscriptions/"+sub.ID, body) }
	own := as[Subscription](t, 200, patch(`{"usageThresholds":[{"amount":900}]}`))
	require.Equal(t, &[]view.UsageThreshold{{Amount: 900}}, own.UsageThresholds)
	require.Equal(t, &[]view.UsageThreshold{}, as[Subscription](t, 200, patch(`{"usageThresholds":[]}`)).UsageThresholds)
	require.Nil(t, as[Subscription](t, 200, patch(`{"planUsageThresholds":true}`)).UsageThresholds)
	problem(t, 422, "usage_threshold_invalid", "usageThresholds[0]", patch(`{"usageThresholds":[{}]}`))
	problem(t, 422, "fields_exclusive", "usageThresholds", patch(`{"usageThresholds":[],"quantity":2}`))

	flat := b.newSubscription(t, b.test)
	problem(t, 409, "usage_thresholds_unmetered", "usageThresholds",
		ask("PATCH", "/api/subscriptions/"+flat.ID, `{"usageThresholds":[{"amount":900}]}`))
}
