package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAccess_SaysWhyAndWhetherItChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	customer := b.newCustomer(t, b.test)
	path := "/api/customers/" + customer.ID + "/access"
	ask := func(headers ...string) response {
		return b.send(t, "GET", path, nil, append(headers, "Authorization", "Bearer "+b.test.key)...)
	}
	none := ask()
	require.Equal(t, Access{
		CustomerID: customer.ID, AccessOf: AccessOf{Reason: "no_subscription"}, Subscriptions: []AccessOf{},
	}, as[Access](t, http.StatusOK, none))
	tag := none.Header.Get("ETag")
	require.NotEmpty(t, tag)
	same := ask("If-None-Match", tag)
	require.Equal(t, http.StatusNotModified, same.Status)
	require.Empty(t, same.Body)
	require.Equal(t, tag, same.Header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, ask("If-None-Match", `"x", W/`+tag).Status)

	plan := b.newPlan(t, b.test)
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": plan.ID, "trialDays": 14}))
	now := ask("If-None-Match", tag)

	got := as[Access](t, http.StatusOK, now)
	require.Equal(t, AccessOf{
		Allowed: true, Reason: "trial", Until: sub.TrialEndsAt, SubscriptionID: sub.ID, PlanID: plan.ID,
	}, got.AccessOf)
	require.Equal(t, []AccessOf{got.AccessOf}, got.Subscriptions)
	require.NotEqual(t, tag, now.Header.Get("ETag"))
}
