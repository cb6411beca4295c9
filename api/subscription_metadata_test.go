package api

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
)

// Metadata may be sent with any other change, in one transaction: a refused change leaves them unchanged.
func TestUpdateSubscription_MetadataWithAnotherChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/subscriptions/" + sub.ID
	patch := func(body string, headers ...string) response {
		return b.ask(t, b.test, "PATCH", path, body, headers...)
	}

	for i, change := range []string{
		`"quantity":2`, `"collectionMethod":"send_invoice","netDays":7`, `"planUsageThresholds":true`,
		`"quantity":5,"effective":"period_end"`,
	} {
		changed := as[Subscription](t, http.StatusOK, patch(fmt.Sprintf(`{%s,"metadata":{"n":"%d"}}`, change, i)))
		require.Equal(t, view.Metadata{"n": strconv.Itoa(i)}, changed.Metadata, change)
	}

	kept := as[Subscription](t, http.StatusOK, patch(`{"metadata":{"a":1}}`))
	problem(t, http.StatusConflict, "plan_version_unchanged", "", patch(`{"planVersion":1,"metadata":{"a":2}}`))
	require.Equal(t, kept.Metadata, as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)).Metadata)
	problem(t, http.StatusUnprocessableEntity, "card_number_refused", "metadata.note",
		patch(`{"quantity":3,"metadata":{"note":"4242 4242 4242 4242"}}`))
	require.Equal(t, kept.Quantity, as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)).Quantity)

	first := patch(`{"quantity":4,"metadata":{"a":3}}`, "Idempotency-Key", "both")
	again := patch(`{"quantity":4,"metadata":{"a":3}}`, "Idempotency-Key", "both")
	require.Equal(t, first.Body, again.Body)
}
