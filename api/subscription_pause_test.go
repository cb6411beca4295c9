package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPauseSubscription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	plan := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Free","currency":"USD","interval":"month","amount":0,"trialEndBehavior":"pause"}`))
	require.Equal(t, "pause", plan.TrialEnd)
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": plan.ID}))
	path := "/api/subscriptions/" + sub.ID
	until := sub.CurrentPeriodEnd + 86400
	form := map[string]any{"resumesAt": until, "credit": "prorated"}
	problem(t, 409, "subscription_not_paused", "", b.ask(t, b.test, "POST", path+"/resume", nil))
	problem(t, 422, "resumes_at_out_of_range", "resumesAt", b.ask(t, b.test, "POST", path+"/pause", `{"resumesAt":1}`))

	shown := as[SubscriptionPreview](t, http.StatusOK,
		b.ask(t, b.test, "POST", path+"/preview", map[string]any{"pause": form}))
	paused := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/pause", form))

	require.Equal(t, [4]any{"paused", until, "requested", "resume"},
		[4]any{paused.Status, paused.ResumesAt, paused.PauseReason, paused.NextAction})
	require.Equal(t, [2]any{paused.Status, paused.NextActionAt},
		[2]any{shown.Subscription.Status, shown.Subscription.NextActionAt})
	require.Equal(t, paused.PausedAt, paused.PaidThrough)
	access := as[Access](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/customers/"+sub.CustomerID+"/access", nil))
	require.Equal(t, [3]any{false, "paused", until}, [3]any{access.Allowed, access.Reason, access.Until})
	listed := b.ask(t, b.test, "GET", "/api/subscriptions?status=paused", nil)
	require.Contains(t, string(listed.Body), sub.ID)
	problem(t, 409, "subscription_paused", "", b.ask(t, b.test, "PATCH", path, `{"quantity":2}`))
	problem(t, 409, "subscription_paused", "", b.ask(t, b.test, "POST", path+"/pause", `{"credit":"prorated"}`))
	open := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/pause", nil))
	require.Equal(t, [2]any{int64(0), "none"}, [2]any{open.ResumesAt, open.NextAction})

	b.elapsed.Add(86_400_000)
	resumed := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/resume", nil))

	require.Equal(t, [3]any{"active", int64(0), ""}, [3]any{resumed.Status, resumed.PausedAt, resumed.PauseReason})
	require.Greater(t, resumed.CurrentPeriodStart, sub.CurrentPeriodStart)

	b.elapsed.Add(86_400_000)
	moved := as[Subscription](t, http.StatusOK,
		b.ask(t, b.test, "PATCH", path, `{"billingAnchor":"now","prorationBehavior":"none"}`))
	require.Greater(t, moved.BillingAnchor, resumed.BillingAnchor)
	require.Equal(t, moved.BillingAnchor, moved.CurrentPeriodStart)
}
