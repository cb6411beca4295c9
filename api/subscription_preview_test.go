package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A preview of a change in a trial: nothing is due now, and the invoices after it have the new quantity. The token
// makes the change.
func TestPreview_OfAChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Team","currency":"USD",
		"interval":"month","trialDays":14,"prices":[{"model":"per_unit","unitAmount":"1000"}]}`))
	customer := b.newCustomer(t, b.test)
	form := map[string]any{"customerId": customer.ID, "planId": made.ID, "quantity": 2, "upcomingCount": 2}

	fresh := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form))

	require.Empty(t, fresh.Invoices)
	require.Len(t, fresh.Upcoming, 2)
	require.EqualValues(t, 2000, fresh.Upcoming[0].AmountDue)
	require.Equal(t, fresh.Subscription.TrialEndsAt, fresh.Upcoming[0].IssuedAt)
	require.Equal(t, http.StatusNotFound,
		b.ask(t, b.test, "GET", "/api/subscriptions/"+fresh.Subscription.ID, nil).Status, "it was not created")

	form["startsAt"] = fresh.Subscription.CreatedAt - 40*86400
	past := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form))
	require.Len(t, past.Invoices, 1, "a passed month and the one that runs")
	require.EqualValues(t, 4000, past.Invoices[0].AmountDue)
	delete(form, "startsAt")
	form["billingAnchor"], form["trialDays"] = fresh.Subscription.CreatedAt+7*86400, 0
	short := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form))
	require.Equal(t, fresh.Subscription.CreatedAt+7*86400, short.Subscription.CurrentPeriodEnd)
	require.Less(t, short.Invoices[0].AmountDue, int64(2000))
	delete(form, "billingAnchor")
	delete(form, "trialDays")
	delete(form, "upcomingCount")
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions", form))
	path := "/api/subscriptions/" + sub.ID
	shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", `{"quantity":5}`))

	require.EqualValues(t, 5, shown.Subscription.Quantity)
	require.Empty(t, shown.Invoices)
	require.EqualValues(t, 5000, shown.Upcoming[0].AmountDue)
	require.NotEmpty(t, shown.PreviewToken)
	changed := as[Subscription](t, http.StatusOK,
		b.ask(t, b.test, "PATCH", path, map[string]any{"previewToken": shown.PreviewToken, "quantity": 5}))
	require.EqualValues(t, 5, changed.Quantity)

	moved := map[string]any{"trialEndsAt": changed.TrialEndsAt + 86400}
	later := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", moved))
	require.Equal(t, changed.TrialEndsAt+86400, later.Upcoming[0].IssuedAt)
	changed = as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, moved))
	require.Equal(t, later.Upcoming[0].IssuedAt, changed.TrialEndsAt)
	named := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"metadata":{"team":"blue"}}`))
	require.Equal(t, Metadata{"team": "blue"}, named.Metadata)
	ahead := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", nil))
	require.Len(t, ahead.Upcoming, 1)
	require.Empty(t, ahead.PreviewToken, "there is no change to make")
}

func TestPreview_RefusesWhatIsNoChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := "/api/subscriptions/" + b.newSubscription(t, b.test).ID
	for body, code := range map[string]string{
		`{"quantity":2,"cancel":{}}`:      "fields_exclusive",
		`{"reactivate":true,"cancel":{}}`: "fields_exclusive",
		`{"reactivate":true}`:             "cancellation_not_scheduled",
		`{"effective":"now"}`:             "field_missing",
		`{"quantity":2,"prorationBehavior":"none","effective":"period_end"}`: "fields_exclusive",
		`{"quantity":2,"prorationBehavior":"half"}`:                          "value_unknown",
		`{"billingAnchor":"now","quantity":2}`:                               "fields_exclusive",
		`{"billingAnchor":"now"}`:                                            "subscription_in_trial",
		`{"trialEndsAt":1,"quantity":2}`:                                     "fields_exclusive",
		`{"trialEndsAt":1}`:                                                  "trial_end_out_of_range",
		`{"upcomingCount":25}`:                                               "out_of_range",
		`{"planId":"plan_x"}`:                                                "plan_not_found",
		`{"cancel":{"refund":"prorated"}}`:                                   "refund_needs_immediate_effect",
	} {
		got := b.ask(t, b.test, "POST", path+"/preview", body)
		require.Contains(t, string(got.Body), `"`+code+`"`, "%s", body)
	}
	got := b.ask(t, b.test, "PATCH", path, `{"previewToken":"abc","quantity":2}`)
	require.Contains(t, string(got.Body), "preview_token_invalid")
	got = b.ask(t, b.test, "PATCH", path, `{"billingAnchor":"now","quantity":2}`)
	require.Contains(t, string(got.Body), "fields_exclusive")
	got = b.ask(t, b.test, "PATCH", path, `{"previewToken":"abc"}`)
	require.Contains(t, string(got.Body), "field_missing", "the token has no change")
}
