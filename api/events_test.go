package api

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
)

// Every filter of the list alone and with others, and the numbers that order the result.
func TestListEvents_Filters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	other := b.newSubscription(t, b.test)
	for _, step := range []string{`{"reason":"moving"}`, `{"reason":"too dear"}`} {
		require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/cancel", step).Status)
	}
	require.Equal(t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+sub.ID+"/reactivate", `{}`).Status)
	list := func(query string) (types []string) {
		for _, e := range as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?limit=100"+query, nil)).Data {
			types = append(types, e.Type)
		}
		return types
	}
	const scheduled, updated = "subscription.cancel_scheduled", "subscription.updated"
	of := []string{updated, "subscription.reactivated", updated, updated, scheduled, "subscription.created"}
	all := list("")
	require.Equal(t, all, list("&type=*"))
	require.Equal(t, of, list("&subscriptionId="+sub.ID))
	require.Equal(t, of, list("&objectId="+sub.ID))
	require.Equal(t, append(of[:len(of):len(of)], "customer.created"), list("&customerId="+sub.CustomerID))
	require.Equal(t, []string{"customer.created"}, list("&objectId="+sub.CustomerID))
	require.Equal(t, append([]string{of[0], of[1], of[2], of[3], of[4]}, "subscription.created", "subscription.created"),
		list("&type=subscription.*"))
	require.Equal(t, []string{updated, updated, updated, scheduled}, list("&type="+scheduled+","+updated))
	require.Equal(t, []string{"plan.created", "customer.created", "plan.created", "customer.created"},
		list("&type=customer.*,plan.created"))
	require.Equal(t, []string{scheduled}, list("&subscriptionId="+sub.ID+"&type="+scheduled))
	require.Empty(t, list("&subscriptionId="+other.ID+"&type="+scheduled))
	require.Empty(t, list("&type=invoice.*"))

	events := as[httpkit.List[Event]](t, 200, b.ask(t, b.test, "GET", "/api/events?customerId="+sub.CustomerID, nil)).Data
	for i, e := range events {
		n := int64(len(events) - i)
		require.Equal(t, n, e.CustomerSequence, "customers count from 1")
		require.Equal(t, n-1, e.Sequence, "the subscription's first event is the customer's second")
		require.Equal(t, e, as[Event](t, 200, b.ask(t, b.test, "GET", "/v1/events/"+e.ID, nil)))
	}
	at := events[0].RecordedAt
	require.Positive(t, at)
	require.Equal(t, all, list(fmt.Sprintf("&from=%d&to=%d", at-3600, at+1)))
	require.Empty(t, list(fmt.Sprintf("&from=%d", at+3600)))
	require.Empty(t, list(fmt.Sprintf("&to=%d", at-3600)))
}
