package api

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/engine"
)

func TestASubscriptionBeginsWithItsTrialOrAtOnce(t *testing.T) {
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
		require.Equal(t, "trial_end", sub.NextAction)
		require.Equal(t, sub.TrialEndsAt, sub.NextActionAt)
	}
	start := b.engine.starts[0]
	require.Equal(t, b.test.environmentID, start.Input.Ref.EnvironmentID)
	require.Equal(t, cust.ID, start.CustomerID)
	require.Equal(t, withTrial.ID, start.PlanID)
}

func TestASubscriptionStandsThoughTheEngineIsAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.onStart = func(context.Context, contract.SubscriptionStart) error { return engine.ErrUnavailable }
	sub := b.newSubscription(t, b.test)
	require.NoError(t, b.Shutdown(t.Context()))
	require.Equal(t, 1, b.count(t, "select count(*) from subscriptions where id = $1 and started_epoch = 0", sub.ID))
}

func TestAReplayStartsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	form := map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": b.newPlan(t, b.test).ID}
	for range 3 {
		b.ask(t, b.test, "POST", "/api/subscriptions", form, "Idempotency-Key", "k")
	}
	require.Len(t, b.engine.starts, 1)
}

func TestCommandsCarryWhatWasAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	next := b.newPlan(t, b.test)
	b.engine.onCommand = func(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
		return contract.CommandResult{}, nil
	}
	for _, c := range []struct {
		method, path, body string
		want               contract.Command
	}{
		{"PATCH", "", `{"planId":"` + next.ID + `"}`, contract.Command{Name: "change_plan", PlanID: next.ID}},
		{"PATCH", "", `{"planId":"` + next.ID + `","effective":"now"}`, contract.Command{Name: "change_plan", PlanID: next.ID}},
		{"PATCH", "", `{"planId":"` + next.ID + `","effective":"period_end"}`, contract.Command{Name: "change_plan", PlanID: next.ID, AtPeriodEnd: true}},
		{"POST", "/cancel", ``, contract.Command{Name: "cancel"}},
		{"POST", "/cancel", `{"reason":"x","immediateEffect":false}`, contract.Command{Name: "cancel", HasText: true}},
		{"POST", "/cancel", `{"immediateEffect":true,"refund":"prorated"}`, contract.Command{Name: "cancel", ImmediateEffect: true, Refund: "prorated"}},
		{"POST", "/cancel", `{"immediateEffect":true,"refund":"none"}`, contract.Command{Name: "cancel", ImmediateEffect: true}},
		{"POST", "/reactivate", ``, contract.Command{Name: "reactivate"}},
	} {
		b.engine.commands = nil
		got := b.ask(t, b.test, c.method, "/api/subscriptions/"+sub.ID+c.path, c.body)
		require.Equal(t, 200, got.Status, "%s", got.Body)
		require.NotEmpty(t, b.engine.commands[0].ID)
		c.want.ID = b.engine.commands[0].ID
		require.Equal(t, []contract.Command{c.want}, b.engine.commands)
	}
}

func TestACustomersTimeIsItsClocks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	clock := as[TestClock](t, 201, b.ask(t, b.test, "POST", "/api/test-clocks", `{"name":"past","now":1600000000}`))
	require.EqualValues(t, 1600000000, clock.Now)
	cust := b.newCustomer(t, b.test, "testClockId", clock.ID)
	require.EqualValues(t, 1600000000, cust.CreatedAt)
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{"customerId": cust.ID, "planId": b.newPlan(t, b.test).ID}))
	require.EqualValues(t, 1600000000, sub.CurrentPeriodStart)
	require.Equal(t, clock.ID, sub.TestClockID)
	require.EqualValues(t, 1600000000, as[Payment](t, 201, b.charge(t, cust.ID)).CreatedAt)

	moved := as[TestClock](t, 200, b.ask(t, b.test, "POST", "/api/test-clocks/"+clock.ID+"/advance", `{"to":1600000100}`, "Prefer", "wait=5"))
	require.EqualValues(t, 1600000100, moved.Now)
	require.Equal(t, "ready", moved.Status)

	b.write(t, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.LockTestClock(ctx, b.test.environmentID, clock.ID)
		if err != nil {
			return err
		}
		row.Status, row.TargetAt = db.ClockAdvancing, time.Unix(1700000000, 0)
		return tx.SaveTestClock(ctx, b.test.environmentID, row)
	})
	problem(t, 409, "test_clock_advancing", "", b.ask(t, b.test, "POST", "/api/subscriptions", map[string]any{"customerId": cust.ID, "planId": sub.PlanID}))
	problem(t, 422, "test_mode_only", "", b.ask(t, b.live, "POST", "/api/test-clocks", nil))
	problem(t, 422, "test_mode_only", "testClockId", b.ask(t, b.live, "POST", "/api/customers", `{"email":"a@example.com","testClockId":"`+clock.ID+`"}`))
}

func TestListsPageInBothDirections(t *testing.T) {
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
