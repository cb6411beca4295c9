package api

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
	"perennial/contract"
	"perennial/internal/apikey"
	"perennial/service/engine"
)

func TestCreateSubscription_TrialOrActive(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	withTrial := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"Pro","currency":"XAF","interval":"month","trialDays":7,"prices":[{"name":"base","amount":5000},{"amount":1}]}`))
	require.EqualValues(t, 5001, withTrial.Amount)
	day := int64(24 * 60 * 60)
	for body, trial := range map[string]int64{"": 7, `,"trialDays":0`: 0, `,"trialDays":30`: 30} {
		sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
			`{"customerId":"`+cust.ID+`","planId":"`+withTrial.ID+`","metadata":{"seat":"1"}`+body+`}`))
		require.Equal(t, sub, as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil)))
		require.Equal(t, Metadata{"seat": "1"}, sub.Metadata)
		require.Zero(t, sub.PaidThrough)
		if trial == 0 {
			require.Equal(t, "active", sub.Status)
			require.Zero(t, sub.TrialEndsAt)
			require.Equal(t, "begin", sub.NextAction)
			continue
		}
		require.Equal(t, "trialing", sub.Status)
		require.Equal(t, sub.CreatedAt+trial*day, sub.TrialEndsAt)
		require.Equal(t, sub.TrialEndsAt, sub.CurrentPeriodEnd)
		require.Equal(t, "trial_notice", sub.NextAction, "three days before the end")
		require.Equal(t, sub.TrialEndsAt-3*day, sub.NextActionAt)
	}
	start := b.engine.starts[0]
	require.Equal(t, b.test.environmentID, start.Input.Ref.EnvironmentID)
	require.Equal(t, cust.ID, start.CustomerID)
	require.Equal(t, withTrial.ID, start.PlanID)
}

func TestCreateSubscription_WithoutTemporal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.onStart = func(context.Context, contract.SubscriptionStart) error { return engine.ErrUnavailable }
	sub := b.newSubscription(t, b.test)
	require.NoError(t, b.Shutdown(t.Context()))
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where id = $1 and started_epoch = 0", sub.ID))
}

func TestCreateSubscription_ReplayStartsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID}
	for range 3 {
		b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k")
	}
	require.Len(t, b.engine.starts, 1)
}

// Each command responds with the new state of the subscription, and wakes the workflow by its name.
func TestCommand_EffectOnSubscription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key, err := b.store.KeyByHash(t.Context(), apikey.Hash(b.test.key))
	require.NoError(t, err)
	next := b.newPlan(t, b.test)
	const end, now = "cancel at the end", "cancel now"
	commands := map[string]struct{ method, path, body, signal string }{
		end:            {"POST", "/cancel", ``, "cancel"},
		now:            {"POST", "/cancel", `{"immediateEffect":true,"refund":"none"}`, "cancel"},
		"why":          {"POST", "/cancel", `{"reason":"x","immediateEffect":false}`, "cancel"},
		"prorated":     {"POST", "/cancel", `{"immediateEffect":true,"refund":"prorated"}`, "cancel"},
		"reactivate":   {"POST", "/reactivate", ``, "reactivate"},
		"change":       {"PATCH", "", `{"planId":"` + next.ID + `"}`, "change_plan"},
		"change now":   {"PATCH", "", `{"planId":"` + next.ID + `","effective":"now"}`, "change_plan"},
		"change later": {"PATCH", "", `{"planId":"` + next.ID + `","effective":"period_end"}`, "change_plan"},
	}
	for _, c := range []struct {
		before, name string
		want         func(was, is Subscription)
	}{
		{"", end, func(_, is Subscription) { require.True(t, is.CancelAtPeriodEnd); require.Empty(t, is.CancelReason) }},
		{"", "why", func(_, is Subscription) {
			require.True(t, is.CancelAtPeriodEnd)
			require.Equal(t, "x", is.CancelReason)
		}},
		{"", now, func(_, is Subscription) { require.Equal(t, "canceled", is.Status); require.NotZero(t, is.CanceledAt) }},
		{"", "prorated", func(_, is Subscription) { require.Equal(t, "canceled", is.Status) }},
		{end, "reactivate", func(_, is Subscription) { require.False(t, is.CancelAtPeriodEnd) }},
		{"", "change", func(_, is Subscription) { require.Equal(t, next.ID, is.PlanID) }},
		{"", "change now", func(_, is Subscription) { require.Equal(t, next.ID, is.PlanID) }},
		{"", "change later", func(was, is Subscription) {
			require.Equal(t, was.PlanID, is.PlanID)
			require.Equal(t, next.ID, is.PendingPlanID)
		}},
	} {
		sub := b.newSubscription(t, b.test)
		ask := func(name string) Subscription {
			command := commands[name]
			return as[Subscription](t, 200, b.ask(t, b.test, command.method, "/api/subscriptions/"+sub.ID+command.path,
				command.body))
		}
		if c.before != "" {
			ask(c.before)
			b.awake(t, sub.ID)
		}
		b.engine.woken = nil
		got := ask(c.name)
		c.want(sub, got)
		require.Equal(t, got, as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub.ID, nil)), c.name)
		row, err := b.store.Subscriptions.Get(t.Context(), b.test.environmentID, sub.ID)
		require.NoError(t, err)
		wake := contract.Wake{By: "key", Actor: key.ID, Revision: row.Revision}
		if got.Status != "canceled" { // else the workflow has something to do, and reads the row
			told := contract.SnapshotOf(lifecycle.State{Subscription: row}, false)
			wake.Snapshot = &told
		}
		require.Equal(t, []woken{{
			contract.Ref{EnvironmentID: b.test.environmentID, ID: sub.ID}, commands[c.name].signal, wake,
		}}, b.engine.woken, c.name)
	}
}

func TestCreateSubscription_OnTestClock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"name":"past","now":1600000000}`))
	require.EqualValues(t, 1600000000, clock.Now)
	cust := b.newCustomer(t, b.test, "testClockId", clock.ID)
	require.EqualValues(t, 1600000000, cust.CreatedAt)
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": cust.ID, "planId": b.newPlan(t, b.test).ID}))
	require.EqualValues(t, 1600000000, sub.CurrentPeriodStart)
	require.Equal(t, clock.ID, sub.TestClockID)
	require.EqualValues(t, 1600000000, as[Payment](t, 201, b.charge(t, cust.ID)).CreatedAt)

	moved := as[TestClock](t, 200, b.ask(t, b.test, "POST", "/api/test-clocks/"+clock.ID+"/advance", `{"to":1600000100}`,
		"Prefer", "wait=5"))
	require.EqualValues(t, 1600000100, moved.Now)
	require.Equal(t, "ready", moved.Status)

	b.moveClock(t, clock.ID, 1700000000)
	problem(t, 409, "test_clock_advancing", "",
		b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{"customerId": cust.ID, "planId": sub.PlanID}))
	problem(t, 422, "test_mode_only", "", b.ask(t, b.live, "POST", "/api/test-clocks", nil))
	problem(t, 422, "test_mode_only", "testClockId",
		b.ask(t, b.live, "POST", "/api/customers", `{"email":"a@example.com","testClockId":"`+clock.ID+`"}`))
}

func TestList_PagesInBothDirections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var ids []string // oldest first
	for range 5 {
		ids = append(ids, b.newPlan(t, b.test).ID)
	}
	page := func(query string) ([]string, bool) {
		list := as[httpkit.List[Plan]](t, 200, b.ask(t, b.test, "GET", "/v1/plans?"+query, nil))
		var got []string
		for _, p := range list.Data {
			got = append(got, p.ID)
		}
		return got, list.HasMore
	}
	for query, want := range map[string]struct {
		ids  []string
		more bool
	}{
		"":                                {[]string{ids[4], ids[3], ids[2], ids[1], ids[0]}, false},
		"limit=2":                         {[]string{ids[4], ids[3]}, true},
		"limit=2&startingAfter=" + ids[3]: {[]string{ids[2], ids[1]}, true},
		"limit=2&startingAfter=" + ids[1]: {[]string{ids[0]}, false},
		"limit=2&endingBefore=" + ids[1]:  {[]string{ids[3], ids[2]}, true},
		"limit=2&endingBefore=" + ids[3]:  {[]string{ids[4]}, false},
		"startingAfter=" + ids[0]:         {nil, false},
		"active=true&limit=1":             {[]string{ids[4]}, true},
		"active=false":                    {nil, false},
	} {
		got, more := page(query)
		require.Equal(t, want.ids, got, query)
		require.Equal(t, want.more, more, query)
	}
	require.Contains(t, string(b.ask(t, b.live, "GET", "/v1/plans", nil).Body), `"data":[]`)
}
