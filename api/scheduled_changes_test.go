package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Changes at dates are listed with that at the end of the period, shown by a preview, and withdrawn one by one.
func TestSubscription_HasScheduledChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Team","currency":"USD","interval":"month","trialDays":14,"prices":[{"model":"per_unit","unitAmount":"1000"}]}`))
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": made.ID}))
	require.Empty(t, sub.Scheduled)
	path := "/api/subscriptions/" + sub.ID
	in := func(days int64) int64 { return sub.CurrentPeriodStart + days*86400 }
	change := func(body string) Subscription {
		t.Helper()
		return as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, body))
	}

	shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview",
		fmt.Sprintf(`{"quantity":3,"effectiveAt":%d,"upcomingCount":2}`, in(20))))
	require.EqualValues(t, 1000, shown.Upcoming[0].Total)
	require.Greater(t, shown.Upcoming[1].Total, int64(1000), "the change has an invoice of its own")
	later := change(fmt.Sprintf(`{"quantity":3,"effectiveAt":%d,"prorationBehavior":"create","previewToken":""}`, in(20)))
	require.EqualValues(t, 1, later.Quantity)
	require.Len(t, later.Scheduled, 1)
	both := change(`{"quantity":2,"effective":"period_end"}`)

	require.Len(t, both.Scheduled, 2)
	require.Equal(t, ScheduledChange{ID: "period_end", EffectiveAt: sub.CurrentPeriodEnd, Quantity: 2}, both.Scheduled[0])
	at := both.Scheduled[1]
	require.Equal(t, ScheduledChange{ID: at.ID, EffectiveAt: in(20), Quantity: 3, Proration: "create"}, at)
	require.Equal(t, both, as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)))
	told := as[Timeline](t, http.StatusOK, b.ask(t, b.test, "GET", path+"/timeline", nil))
	var expected []string
	for _, e := range told.Upcoming {
		expected = append(expected, e.Action)
	}
	require.Contains(t, expected, "scheduled_change")

	for body, want := range map[string][2]any{
		`{"quantity":4,"effectiveAt":1}`:                                        {422, "effective_at_out_of_range"},
		fmt.Sprintf(`{"quantity":4,"effectiveAt":%d,"effective":"now"}`, in(9)): {422, "fields_exclusive"},
		fmt.Sprintf(`{"planVersion":1,"effectiveAt":%d}`, in(9)):                {422, "fields_exclusive"},
		fmt.Sprintf(`{"effectiveAt":%d}`, in(9)):                                {422, "field_missing"},
		fmt.Sprintf(`{"planId":"plan_none","effectiveAt":%d}`, in(9)):           {404, "plan_not_found"},
	} {
		got := b.ask(t, b.test, "PATCH", path, body)
		require.Equal(t, want[0], got.Status, body)
		require.Contains(t, string(got.Body), want[1])
	}
	withdraw := func(id string) response { return b.ask(t, b.test, "DELETE", path+"/scheduled-changes/"+id, nil) }
	require.Equal(t, []ScheduledChange{at}, as[Subscription](t, http.StatusOK, withdraw("period_end")).Scheduled)
	require.Empty(t, as[Subscription](t, http.StatusOK, withdraw(at.ID)).Scheduled)
	require.Equal(t, http.StatusNotFound, withdraw(at.ID).Status)
}

// The anchor moves at a date: it is listed, a preview shows the short period's credit, and its token makes the change.
func TestSubscription_HasAnAnchorAtADate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Team","currency":"USD","interval":"month","trialDays":14,"prices":[{"model":"per_unit","unitAmount":"1000"}]}`))
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": made.ID}))
	path, at := "/api/subscriptions/"+sub.ID, sub.CurrentPeriodStart+20*86400
	body := fmt.Sprintf(`{"billingAnchor":%d,"upcomingCount":3}`, at)

	shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", body))

	require.Len(t, shown.Upcoming, 3)
	require.EqualValues(t, 1000, shown.Upcoming[0].Total, "the period from the trial's end")
	require.Equal(t, at, shown.Upcoming[1].IssuedAt)
	require.Less(t, shown.Upcoming[1].Total, int64(1000), "less its unused time")
	require.EqualValues(t, 1000, shown.Upcoming[2].Total)
	moved := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path,
		fmt.Sprintf(`{"billingAnchor":%d,"previewToken":%q}`, at, shown.PreviewToken)))
	require.Len(t, moved.Scheduled, 1)
	require.Equal(t, ScheduledChange{ID: moved.Scheduled[0].ID, EffectiveAt: at, Anchor: at}, moved.Scheduled[0])
	require.Equal(t, sub.BillingAnchor, moved.BillingAnchor)

	for body, want := range map[string]string{
		`{"billingAnchor":1}`:                                     "billing_anchor_out_of_range",
		fmt.Sprintf(`{"billingAnchor":%d}`, at-10*86400):          "subscription_in_trial",
		fmt.Sprintf(`{"billingAnchor":%d,"quantity":2}`, at):      "fields_exclusive",
		fmt.Sprintf(`{"billingAnchor":%d,"effective":"now"}`, at): "fields_exclusive",
		`{"billingAnchor":"now","prorationBehavior":"create"}`:    "fields_exclusive",
		`{"billingAnchor":"tomorrow"}`:                            "value_unknown",
		`{"billingAnchor":1.5}`:                                   "type_wrong",
		`{"billingAnchor":99999999999999999999}`:                  "out_of_range",
		`{"billingAnchor":true}`:                                  "value_unknown",
		fmt.Sprintf(`{"billingAnchor":"%d"}`, at):                 "value_unknown",
	} {
		got := b.ask(t, b.test, "PATCH", path, body)
		require.True(t, got.Status >= 400 && got.Status < 500, "%s: %s", body, got.Body)
		require.Contains(t, string(got.Body), `"`+want+`"`, body)
	}
}
