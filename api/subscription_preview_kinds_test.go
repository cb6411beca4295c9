package api

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Another version of the plan, and other terms, are previewed with the body that PATCH takes.
func TestPreviewSubscription_VersionAndTerms(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans/"+sub.PlanID+"/versions", `{"amount":4321}`))
	path := "/api/subscriptions/" + sub.ID
	preview := func(body string) response { return b.ask(t, b.test, "POST", path+"/preview", body) }

	later := as[SubscriptionPreview](t, http.StatusOK, preview(`{"planVersion":2,"effective":"period_end","upcomingCount":2}`))
	require.Equal(t, [2]int{1, 2}, [2]int{later.Subscription.PlanVersion, later.Subscription.PendingPlanVersion})
	version := as[SubscriptionPreview](t, http.StatusOK, preview(`{"planVersion":2}`))
	require.Equal(t, 2, version.Subscription.PlanVersion)
	require.EqualValues(t, 4321, version.Upcoming[0].Subtotal)
	require.NotEmpty(t, version.PreviewToken)
	sent := as[SubscriptionPreview](t, http.StatusOK, preview(`{"collectionMethod":"send_invoice","netDays":30}`))
	require.Equal(t, [2]any{"send_invoice", 30}, [2]any{sent.Subscription.CollectionMethod, sent.Subscription.NetDays})
	problem(t, http.StatusConflict, "plan_version_unchanged", "", preview(`{"planVersion":1}`))
	problem(t, http.StatusNotFound, "plan_not_found", "planVersion", preview(`{"planVersion":7}`))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "planVersion", preview(`{"planVersion":2,"quantity":3}`))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "cancel", preview(`{"planVersion":2,"netDays":3}`))

	kept := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, [2]any{1, sub.CollectionMethod}, [2]any{kept.PlanVersion, kept.CollectionMethod}, "nothing is written")
}

// Each command takes the token of its preview, and refuses that of another one.
func TestPreviewToken_OfEveryCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID
	as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans/"+sub.PlanID+"/versions", `{"amount":4321}`))
	coupon := as[Coupon](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/coupons",
		`{"code":"TENTH","percent":"10","duration":"forever"}`))
	token := func(body string) string {
		shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", body))
		require.NotEmpty(t, shown.PreviewToken)
		require.NotZero(t, shown.ExpiresAt)
		return shown.PreviewToken
	}
	perform := func(method, at, body string, token string) response {
		return b.ask(t, b.test, method, path+at, fmt.Sprintf(body, token))
	}
	ends := token(`{"cancel":{}}`)
	problem(t, http.StatusConflict, "preview_outdated", "", perform("POST", "/cancel", `{"immediateEffect":true,"previewToken":%q}`, ends))
	problem(t, http.StatusConflict, "preview_outdated", "", perform("PATCH", "", `{"planVersion":2,"previewToken":%q}`, ends))
	problem(t, http.StatusUnprocessableEntity, "preview_token_invalid", "previewToken",
		perform("POST", "/cancel", `{"previewToken":%q}`, "abc"))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "previewToken",
		perform("PATCH", "", `{"usageThresholds":[],"previewToken":%q}`, ends))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "previewToken",
		perform("PATCH", "", `{"quantity":2,"paymentMethodId":"pm_x","previewToken":%q}`, ends))
	ended := as[Subscription](t, http.StatusOK, perform("POST", "/cancel", `{"previewToken":%q}`, ends))
	require.True(t, ended.CancelAtPeriodEnd)
	problem(t, http.StatusConflict, "preview_outdated", "", perform("POST", "/cancel", `{"reason":"late","previewToken":%q}`, ends))
	for _, c := range []struct{ preview, method, at, body string }{
		{`{"reactivate":true}`, "POST", "/reactivate", `{"previewToken":%q}`},
		{`{"planVersion":2}`, "PATCH", "", `{"planVersion":2,"previewToken":%q}`},
		{`{"couponCode":"TENTH"}`, "POST", "/coupons", `{"couponCode":"tenth","previewToken":%q}`},
		{`{"collectionMethod":"send_invoice","netDays":30}`, "PATCH", "",
			`{"collectionMethod":"send_invoice","netDays":30,"metadata":{"a":"b"},"previewToken":%q}`},
	} {
		as[Subscription](t, http.StatusOK, perform(c.method, c.at, c.body, token(c.preview)))
	}
	removed := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "DELETE",
		path+"/coupons/"+coupon.ID+"?previewToken="+token(`{"removeCouponId":"`+coupon.ID+`"}`), nil))
	require.Empty(t, removed.Discounts)
	require.Equal(t, [3]any{2, "send_invoice", "b"}, [3]any{removed.PlanVersion, removed.CollectionMethod, removed.Metadata["a"]})
}
