package api

import (
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
	require.Empty(t, version.PreviewToken)
	sent := as[SubscriptionPreview](t, http.StatusOK, preview(`{"collectionMethod":"send_invoice","netDays":30}`))
	require.Equal(t, [2]any{"send_invoice", 30}, [2]any{sent.Subscription.CollectionMethod, sent.Subscription.NetDays})
	problem(t, http.StatusConflict, "plan_version_unchanged", "", preview(`{"planVersion":1}`))
	problem(t, http.StatusNotFound, "plan_not_found", "planVersion", preview(`{"planVersion":7}`))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "planVersion", preview(`{"planVersion":2,"quantity":3}`))
	problem(t, http.StatusUnprocessableEntity, "fields_exclusive", "cancel", preview(`{"planVersion":2,"netDays":3}`))

	kept := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil))
	require.Equal(t, [2]any{1, sub.CollectionMethod}, [2]any{kept.PlanVersion, kept.CollectionMethod}, "nothing is written")
}
