package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Add-ons are sold together with a plan, are changed as a whole list, and are never sold alone.
func TestSubscription_HasAddOns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(body string) Plan {
		t.Helper()
		return as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", body))
	}
	team := create(`{"name":"Team","currency":"USD","interval":"month","trialDays":14,"amount":1000}`)
	weekly := create(`{"name":"Team, weekly","currency":"USD","interval":"week","amount":10000}`)
	backup := create(
		`{"kind":"add_on","name":"Backup","currency":"USD","interval":"month","prices":[{"model":"per_unit","unitAmount":"200"}]}`,
	)
	ofWeek := create(`{"kind":"add_on","name":"Support","currency":"USD","interval":"week","amount":900}`)
	require.Equal(t, [2]string{"plan", "add_on"}, [2]string{team.Kind, backup.Kind})
	customer := b.newCustomer(t, b.test)
	form := func(planID string, addOns ...map[string]any) map[string]any {
		return map[string]any{"customerId": customer.ID, "planId": planID, "addOns": append([]map[string]any{}, addOns...)}
	}
	one := map[string]any{"planId": backup.ID, "quantity": 3}

	shown := as[SubscriptionPreview](t, http.StatusOK,
		b.ask(t, b.test, "POST", "/api/subscriptions/preview", form(team.ID, one)))
	require.EqualValues(t, 1600, shown.Upcoming[0].Total)
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions", form(team.ID, one)))

	require.Equal(t, []SubscriptionAddOn{{PlanID: backup.ID, PlanVersion: 1, Quantity: 3}}, sub.AddOns)
	require.Len(t, sub.Items, 2)
	path := "/api/subscriptions/" + sub.ID
	change := func(body any) Subscription {
		t.Helper()
		return as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, body))
	}
	later := change(`{"addOns":[],"effective":"period_end"}`)
	require.Equal(t, &[]SubscriptionAddOn{}, later.PendingAddOns)
	require.Equal(t, later, as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)))
	now := change(map[string]any{"addOns": []any{map[string]any{"planId": backup.ID, "quantity": 5}}})
	require.EqualValues(t, 5, now.AddOns[0].Quantity)
	require.Nil(t, now.PendingAddOns)
	require.Equal(t, sub.Items[1].ID, now.Items[1].ID, "the item stays")

	for _, c := range []struct {
		method, path string
		body         any
		status       int
		code, param  string
	}{
		{"POST", "/api/subscriptions", form(backup.ID), 422, "plan_is_add_on", "planId"},
		{"POST", "/api/subscriptions", form(team.ID, one, map[string]any{"planId": weekly.ID}), 422, "plan_not_add_on",
			"addOns[1].planId"},
		{"POST", "/api/subscriptions", form(team.ID, map[string]any{"planId": ofWeek.ID}), 422, "add_on_interval_mismatch",
			"addOns[0].planId"},
		{"POST", "/api/subscriptions", form(team.ID, map[string]any{"planId": "plan_none"}), 404, "plan_not_found",
			"addOns[0].planId"},
		{"PATCH", path, `{"planId":"` + weekly.ID + `"}`, 409, "add_ons_other_interval", "addOns"},
		{"PATCH", path, `{"planId":"` + backup.ID + `"}`, 422, "plan_is_add_on", "planId"},
		{"PATCH", path, map[string]any{"addOns": []any{map[string]any{"planId": backup.ID, "quantity": 5}}}, 409,
			"add_ons_unchanged", "addOns"},
		{"PATCH", path, `{"addOns":[],"planVersion":1}`, 422, "fields_exclusive", "planVersion"},
		{"POST", "/api/plans", `{"kind":"add_on","name":"x","currency":"USD","interval":"month","amount":1,"trialDays":7}`,
			422, "add_on_field_unsupported", "trialDays"},
		{"PATCH", "/api/plans/" + backup.ID, `{"prorationMeasure":"day"}`, 422, "add_on_field_unsupported",
			"prorationMeasure"},
	} {
		got := b.ask(t, b.test, c.method, c.path, c.body)
		require.Equal(t, c.status, got.Status, "%v: %s", c.body, got.Body)
		require.Contains(t, string(got.Body), `"`+c.code+`"`)
		require.Contains(t, string(got.Body), `"`+c.param+`"`)
	}
	moved := change(map[string]any{"planId": weekly.ID, "addOns": []any{map[string]any{"planId": ofWeek.ID}},
		"effective": "period_end"})
	require.Equal(t, ofWeek.ID, (*moved.PendingAddOns)[0].PlanID)

	as[Plan](
		t, http.StatusCreated, b.ask(
			t, b.test, "POST", "/api/plans/"+backup.ID+"/versions", `{"prices":[{"model":"per_unit","unitAmount":"300"}]}`,
		),
	)
	migrated := as[PlanMigration](
		t, 200, b.ask(t, b.test, "POST", "/api/plans/"+backup.ID+"/migrate", `{"effective":"now"}`),
	)
	require.Equal(t, [2]int{1, 1}, [2]int{migrated.Examined, migrated.Migrated})
	require.Equal(t, 2, as[Subscription](t, 200, b.ask(t, b.test, "GET", path, nil)).AddOns[0].PlanVersion)
	require.Zero(t, as[PlanMigration](t, 200, b.ask(t, b.test, "POST", "/api/plans/"+backup.ID+"/migrate", `{}`)).Examined)
}

// A plan of a year with seats of a month: its first invoice bills both for periods of their own, the next ones seats.
func TestSubscription_SeveralIntervals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(body string) Plan {
		t.Helper()
		return as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", body))
	}
	annual := create(`{"name":"Annual","currency":"USD","interval":"year","trialDays":14,"amount":120000}`)
	seats := create(`{"kind":"add_on","name":"Seats","currency":"USD","interval":"month","amount":1000}`)
	customer := b.newCustomer(t, b.test)
	form := map[string]any{
		"customerId": customer.ID, "planId": annual.ID, "addOns": []any{map[string]any{"planId": seats.ID}},
	}

	shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form))
	require.EqualValues(t, 121_000, shown.Upcoming[0].Total)
	lines := shown.Upcoming[0].Lines
	require.Equal(t, lines[0].PeriodStart, lines[1].PeriodStart)
	require.Greater(t, lines[0].PeriodEnd-lines[0].PeriodStart, int64(364*86400))
	require.Less(t, lines[1].PeriodEnd-lines[1].PeriodStart, int64(32*86400))
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions", form))
	path := "/api/subscriptions/" + sub.ID
	require.Zero(t, sub.PlanPeriodEnd, "the trial is one of both")
	require.Equal(t, sub, as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", path, nil)))
	next := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", path+"/preview", `{"addOns":[]}`))
	require.EqualValues(t, 120_000, next.Upcoming[0].Total)
}
