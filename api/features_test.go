package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each feature of a plan and its add-ons has an answer; a change of the plan counts at once for all its subscribers.
func TestFeatures_AreAnsweredOfPlansAndAddOns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path string, body any, headers ...string) response {
		return b.ask(t, b.test, method, path, body, headers...)
	}
	team := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", `{"name":"Team","currency":"USD","interval":"month",
		"trialDays":7,"amount":1000,"features":[{"key":"sso"},{"key":"projects","limit":3},{"key":"storage","limit":5,"perUnit":true}]}`))
	require.Len(t, team.Features, 3)
	extra := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", `{"name":"Extra","currency":"USD","interval":"month",
		"kind":"add_on","amount":100,"features":[{"key":"storage","limit":100,"perUnit":true}]}`))
	customer := b.newCustomer(t, b.test)
	path := "/api/customers/" + customer.ID + "/access"
	about := func(feature string) Access { return as[Access](t, 200, ask("GET", path+"?feature="+feature, nil)) }
	none := about("sso")
	require.Equal(t, [3]any{false, "no_subscription", "sso"}, [3]any{none.Allowed, none.Reason, none.Feature.Key})
	sub := as[Subscription](t, 201, ask("POST", "/api/subscriptions", map[string]any{
		"customerId": customer.ID, "planId": team.ID, "quantity": 4,
		"addOns": []any{map[string]any{"planId": extra.ID, "quantity": 2}},
	}))

	storage := about("storage")

	require.True(t, storage.Allowed)
	require.Equal(t, [2]any{"trial", int64(220)}, [2]any{storage.Reason, *storage.Feature.Limit})
	require.Equal(t, []string{team.ID, extra.ID},
		[]string{storage.Feature.Sources[0].PlanID, storage.Feature.Sources[1].PlanID})
	require.Equal(t, sub.ID, storage.Feature.Sources[1].SubscriptionID)
	require.Nil(t, about("sso").Feature.Limit)
	require.True(t, about("sso").Allowed)
	missing := about("audit.log")
	require.Equal(t, [2]any{false, "feature_not_included"}, [2]any{missing.Allowed, missing.Reason})
	require.True(t, missing.Subscriptions[0].Allowed, "to the product itself")
	require.Nil(t, as[Access](t, 200, ask("GET", path, nil)).Feature)
	problem(t, 422, "feature_key_invalid", "feature", ask("GET", path+"?feature=SSO", nil))

	first := ask("GET", path+"?feature=projects", nil)
	again := ask("GET", path+"?feature=projects", nil, "If-None-Match", first.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, again.Status)
	more := as[Plan](t, 200, ask("PATCH", "/api/plans/"+team.ID, `{"features":[{"key":"projects","limit":9}]}`))
	require.Len(t, more.Features, 1)
	changed := ask("GET", path+"?feature=projects", nil, "If-None-Match", first.Header.Get("ETag"))
	require.EqualValues(t, 9, *as[Access](t, 200, changed).Feature.Limit)
	require.False(t, about("sso").Allowed)
	dearer := as[Plan](t, 201, ask("POST", "/api/plans/"+team.ID+"/versions", `{"amount":1200}`))
	require.Equal(t, more.Features, dearer.Features, "they are the plan's, in all versions")
	require.Equal(t, 1, b.count(t, "select count(*) from events where type = 'plan.updated' and data::text like '%features%'"))
	bare := as[Plan](t, 200, ask("PATCH", "/api/plans/"+team.ID, `{"features":[]}`))
	require.Empty(t, bare.Features)
	require.False(t, about("projects").Allowed)
	problem(t, 422, "feature_repeated", "features[1].key",
		ask("PATCH", "/api/plans/"+team.ID, `{"features":[{"key":"a"},{"key":"a"}]}`))
}
