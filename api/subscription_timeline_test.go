package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// The timeline shows the past, page by page, and the expected actions with their charges.
func TestTimeline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Pro","currency":"USD",
		"interval":"month","trialDays":14,"amount":1900}`))
	other := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Max","currency":"USD",
		"interval":"month","amount":5000}`))
	customer := b.newCustomer(t, b.test)
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": made.ID}))
	path := "/api/subscriptions/" + sub.ID
	require.Equal(t, http.StatusOK, b.ask(t, b.test, "PATCH", path,
		map[string]any{"planId": other.ID, "effective": "period_end"}).Status)

	got := as[Timeline](t, http.StatusOK, b.ask(t, b.test, "GET", path+"/timeline?limit=1", nil))

	require.Equal(t, []TimelineExpected{
		{Action: "trial_notice", At: sub.TrialEndsAt - 3*86400, Text: "The end of the trial is announced."},
		{
			Action: "trial_end", At: sub.TrialEndsAt, Amount: 5000, PlanID: other.ID,
			Text: "The trial ends, and the first paid period begins. The plan changes to " + other.ID +
				". 50.00 USD is charged.",
		},
		{
			Action: "renewal", At: got.Upcoming[2].At, Amount: 5000,
			Text: "The next period begins. 50.00 USD is charged.",
		},
	}, got.Upcoming[:3])
	require.Nil(t, got.WaitsFor)
	require.True(t, got.HasMore)
	require.Equal(t, "Changed: pendingPlanId.", got.Data[0].Text)
	rest := as[Timeline](t, http.StatusOK, b.ask(t, b.test, "GET", path+"/timeline?startingAfter="+got.Data[0].ID, nil))
	require.Empty(t, rest.Upcoming)
	require.Equal(t, "The customer subscribed to "+made.ID+".", rest.Data[len(rest.Data)-1].Text)
}
