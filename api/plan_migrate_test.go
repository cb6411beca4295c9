package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A migration continues from request to request, first shows what it would do, and lists the subscriptions that stay
// behind.
func TestMigratePlan_InBatches(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.newSubscription(t, b.test)
	subscribe := func() string {
		return as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
			map[string]any{"customerId": first.CustomerID, "planId": first.PlanID, "trialDays": 14})).ID
	}
	second, leaves, gone := subscribe(), subscribe(), subscribe()
	as[Subscription](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+leaves+"/cancel", `{}`))
	as[Subscription](t, 200, b.ask(t, b.test, "POST", "/api/subscriptions/"+gone+"/cancel", `{"immediateEffect":true}`))
	path := "/api/plans/" + first.PlanID
	as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", path+"/versions", `{"amount":2400}`))
	newest := subscribe()
	migrate := func(body string) PlanMigration {
		return as[PlanMigration](t, 200, b.ask(t, b.test, "POST", path+"/migrate", body))
	}
	version := func(id string) [2]int {
		s := as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+id, nil))
		return [2]int{s.PlanVersion, s.PendingPlanVersion}
	}

	want := PlanMigration{
		PlanID: first.PlanID, ToVersion: 2, DryRun: true, Examined: 3, Would: 2, Currency: "USD", Last: first.ID,
		Refused: []MigrationRefusal{{
			SubscriptionID: leaves, Code: "plan_change_scheduled",
			Detail: "The subscription changes to another plan, or ends, at the end of the period.",
		}},
	}
	before := b.rows(t)
	require.Equal(t, want, migrate(`{"dryRun":true}`))
	after := b.rows(t)
	delete(before, "idempotency_keys")
	delete(after, "idempotency_keys")
	require.Equal(t, before, after, "nothing is changed")
	require.Equal(t, [2]int{1}, version(first.ID))

	page := migrate(`{"limit":3}`)
	require.Equal(t, [4]any{1, leaves, true, 0}, [4]any{page.Examined, page.Last, page.HasMore, page.Migrated})
	rest := migrate(`{"startingAfter":"` + leaves + `"}`)
	require.Equal(t, [4]any{2, first.ID, false, 2}, [4]any{rest.Examined, rest.Last, rest.HasMore, rest.Migrated})
	require.Equal(t, [2]int{1, 2}, version(second))
	again := migrate(`{}`)
	require.Equal(t, [2]int{3, 0}, [2]int{again.Examined, again.Migrated}, "what waits already is passed over")

	now := migrate(`{"effective":"now","fromVersion":1}`)
	require.Equal(t, [2]int{3, 3}, [2]int{now.Examined, now.Migrated}, "who leaves later pays the new price until then")
	for _, id := range []string{first.ID, second, leaves, newest} {
		require.Equal(t, [2]int{2}, version(id))
	}
	require.Equal(t, [2]int{1}, version(gone), "a canceled subscription keeps its version")
	require.Zero(t, migrate(`{"effective":"now"}`).Examined)
	require.Equal(t, 4, migrate(`{"toVersion":1,"effective":"now","fromVersion":2}`).Migrated, "and back")
}

func TestMigratePlan_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	on := b.newSubscription(t, b.test)
	path := "/api/plans/" + on.PlanID + "/migrate"
	problem(t, 404, "plan_not_found", "toVersion", b.ask(t, b.test, "POST", path, `{"toVersion":2}`))
	problem(t, 422, "cursor_malformed", "startingAfter", b.ask(t, b.test, "POST", path, `{"startingAfter":"x"}`))
	problem(t, 422, "out_of_range", "limit", b.ask(t, b.test, "POST", path, `{"limit":101}`))
	problem(t, 422, "field_missing", "planId", b.ask(t, b.test, "GET", "/api/subscriptions?planVersion=1", nil))
}

// A repeat with a used key moves nothing: neither with another body, nor subscriptions that were moved back meanwhile.
func TestMigratePlan_KeyIsLookedUpFirst(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	path := "/api/plans/" + sub.PlanID
	as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", path+"/versions", `{"amount":2400}`))
	migrate := func(body string) response {
		return b.send(t, "POST", path+"/migrate", body, "Authorization", "Bearer "+b.test.key, "Idempotency-Key", "once",
			"Content-Type", "application/json")
	}
	pending := func() int {
		return as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil)).PendingPlanVersion
	}
	first := migrate(`{"toVersion":2}`)
	require.Equal(t, 200, first.Status, "%s", first.Body)
	require.Equal(t, 2, pending())
	as[Subscription](
		t, 200, b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, `{"planVersion":1,"effective":"period_end"}`),
	)

	require.Equal(t, string(first.Body), string(migrate(`{"toVersion":2}`).Body))
	require.Zero(t, pending(), "a repeat moves nothing")
	require.Equal(t, http.StatusUnprocessableEntity, migrate(`{"toVersion":2,"limit":5}`).Status)
	require.Zero(t, pending())
}
