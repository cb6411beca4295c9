package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The quantity of a metric is compared with the limit of the plan; a customer may have another limit until a time, and
// a publishable key may ask only where its scope allows it.
func TestFeatures_WithLimitsOfWhatAMetricCounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path string, body any, headers ...string) response {
		return b.ask(t, b.test, method, path, body, headers...)
	}
	problem(t, http.StatusNotFound, "metric_not_found", "features[0].metricName", ask("POST", "/api/plans",
		`{"name":"Metered","currency":"USD","interval":"month","amount":1,"features":[{"key":"calls","limit":10,"metricName":"calls"}]}`))
	as[Metric](t, 201, ask("POST", "/api/metrics", `{"name":"calls","aggregation":"sum"}`))
	team := as[Plan](t, 201, ask("POST", "/api/plans", `{"name":"Metered","currency":"USD","interval":"month",
		"trialDays":7,"amount":1000,"features":[{"key":"calls","limit":10,"metricName":"calls"}]}`))
	require.Equal(t, "calls", team.Features[0].MetricName)
	customer := b.newCustomer(t, b.test)
	sub := as[Subscription](t, 201, ask("POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": team.ID}))
	path := "/api/customers/" + customer.ID
	about := func() Access { return as[Access](t, 200, ask("GET", path+"/access?feature=calls", nil)) }
	use := func(key, quantity string) {
		require.Equal(t, 201, ask("POST", "/api/usage", fmt.Sprintf(
			`{"subscriptionId":%q,"metricName":"calls","quantity":%s,"idempotencyKey":%q}`, sub.ID, quantity, key)).Status)
	}

	none := about()
	require.True(t, none.Allowed)
	require.EqualValues(t, "0", none.Feature.Used)
	require.Equal(t, sub.TrialEndsAt, none.Feature.ResetsAt)
	use("1", "9.5")
	require.EqualValues(t, "9.5", about().Feature.Used)
	require.True(t, about().Allowed)
	use("2", "0.5")
	full := about()
	require.Equal(t, [2]any{false, "feature_limit_reached"}, [2]any{full.Allowed, full.Reason})
	require.Equal(t, full.Feature.ResetsAt, full.Until)

	until := sub.TrialEndsAt - 3600
	own := as[Customer](t, 200, ask("PATCH", path,
		fmt.Sprintf(`{"features":[{"key":"calls","limit":20,"until":%d}]}`, until)))
	require.Equal(t, until, own.Features[0].Until)
	more := about()
	require.Equal(t, [3]any{true, int64(20), until}, [3]any{more.Allowed, *more.Feature.Limit, more.Until})
	require.Equal(t, own, as[Customer](t, 200, ask("GET", path, nil)))
	as[Customer](t, 200, ask("PATCH", path,
		fmt.Sprintf(`{"features":[{"key":"calls","subscriptionId":%q,"limit":10,"softLimit":true}]}`, sub.ID)))
	soft := about()
	require.True(t, soft.Allowed)
	require.Equal(t, FeatureSource{SubscriptionID: sub.ID, Limit: soft.Feature.Limit, SoftLimit: true}, soft.Feature.Sources[0])
	other := b.newSubscription(t, b.test)
	for _, id := range []string{"sub_0", other.ID} {
		problem(t, http.StatusNotFound, "subscription_not_found", "features[0].subscriptionId",
			ask("PATCH", path, fmt.Sprintf(`{"features":[{"key":"calls","subscriptionId":%q}]}`, id)))
	}
	problem(t, 422, "feature_repeated", "features[1].key", ask("PATCH", path, `{"features":[{"key":"a"},{"key":"a"}]}`))
	before := b.effects(t)
	ask("PATCH", path, fmt.Sprintf(`{"features":[{"key":"calls","subscriptionId":%q,"limit":10,"softLimit":true}]}`, sub.ID))
	require.Equal(t, before, b.effects(t), "nothing changed, nothing happened")
	require.Empty(t, as[Customer](t, 200, ask("PATCH", path, `{"features":[]}`)).Features)
	require.False(t, about().Allowed)
}

func TestAccess_OfPublishableKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan := b.newPlan(t, b.test)
	customer := b.newCustomer(t, b.test)
	as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": plan.ID, "trialDays": 3}))
	path := "/api/customers/" + customer.ID
	key := func(scopes string) string {
		return as[Key](t, 201, b.ask(t, b.test, "POST", "/api/api-keys", `{"kind":"publishable"`+scopes+`}`)).Key
	}
	asked := func(key, path string) response {
		return b.send(t, "GET", path, nil, "Authorization", "Bearer "+key)
	}
	problem(t, http.StatusForbidden, "scope_missing", "", asked(key(""), path+"/access"))
	allowed := key(`,"scopes":["access"]`)
	got := as[Access](t, 200, asked(allowed, path+"/access"))
	require.Equal(t, Access{
		CustomerID: customer.ID, AccessOf: AccessOf{Allowed: true, Reason: "trial", Until: got.Until},
		Subscriptions: []AccessOf{},
	}, got)
	require.Empty(t, as[Access](t, 200, asked(allowed, path+"/access?feature=sso")).Feature.Sources)
	problem(t, http.StatusForbidden, "secret_key_required", "", asked(allowed, path))
}
