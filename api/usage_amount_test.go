package api

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
)

// subscribeTo subscribes a new customer to a plan, and lets the subscription begin.
func (b *bench) subscribeTo(t *testing.T, planID string) Subscription {
	t.Helper()
	customer := b.newCustomer(t, b.test)
	made := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": planID}))
	b.begin(t, made.ID)
	return as[Subscription](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+made.ID, nil))
}

func (b *bench) usageOf(t testing.TB, sub, query string) UsageSummary {
	t.Helper()
	return as[UsageSummary](t, 200, b.ask(t, b.test, "GET", "/api/subscriptions/"+sub+"/usage"+query, nil))
}

// 1,200 calls in eu, of which 1,000 are included, 12 elsewhere in two tiers, and the rest of a commitment of 100.00.
func TestUsageAmount_SaysWhatThePeriodComesToSoFar(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path, body string) response { return b.ask(t, b.test, method, path, body) }
	as[Metric](t, 201, ask("POST", "/api/metrics", `{"name":"calls","aggregation":"sum","groupBy":["region"]}`))
	plan := as[Plan](t, 201, ask("POST", "/api/plans", `{"name":"Calls","currency":"USD","interval":"month","amount":1000,
		"meteredPrices":[{"name":"Calls","metricName":"calls","rates":[
			{"where":{"region":"eu"},"model":"per_unit","unitAmount":"3.5","included":"1000"},
			{"where":{"region":"us"},"model":"graduated","tiers":[{"upTo":"10","unitAmount":"2"},{"unitAmount":"1"}]}]}],
		"commitment":{"amount":10000}}`))
	sub := b.subscribeTo(t, plan.ID).ID
	for region, quantity := range map[string]int{"eu": 1200, "us": 12, "asia": 3} {
		require.Equal(t, 201, ask("POST", "/api/usage", fmt.Sprintf(`{"subscriptionId":%q,"metricName":"calls","quantity":%d,
			"idempotencyKey":%q,"properties":{"region":%q}}`, sub, quantity, region, region)).Status)
	}

	used := b.usageOf(t, sub, "")

	amount := used.Amount
	require.NotNil(t, amount)
	require.Empty(t, used.Costless)
	require.Equal(t, [6]any{true, "USD", int64(10000), int64(10000), int64(0), int64(10000)},
		[6]any{amount.Estimated, amount.Currency, amount.Subtotal, amount.Total, amount.Billed, amount.Unbilled})
	lines := map[string]string{}
	explained := map[string]*view.LineExplanation{}
	for _, l := range amount.Lines {
		key := l.MetricName
		if region := l.Dimensions["region"]; region != nil {
			key += " " + *region
		}
		lines[key], explained[key] = fmt.Sprintf("%s %s × %s = %d", l.Description, l.Quantity, l.UnitAmount, l.Amount), l.Explanation
		require.Equal(t, [2]int64{amount.From, amount.To}, [2]int64{l.From, l.To})
	}
	require.Equal(t, map[string]string{
		"calls eu": "Calls – Calls 1200 ×  = 700", "calls us": "Calls – Calls 12 ×  = 22",
		"": "Calls – Commitment 1 ×  = " + strconv.Itoa(10000-722),
	}, lines)
	require.Equal(t, []view.ExplanationStep{
		{Kind: "included", Quantity: "1000", UnitAmount: "0", Amount: "0"},
		{Kind: "units", Quantity: "200", UnitAmount: "3.5", Amount: "700"},
	}, explained["calls eu"].Steps)
	require.Len(t, explained["calls us"].Steps, 2)
	require.Equal(t, [3]any{"calls", Number("3"), int64(1)},
		[3]any{amount.Unrated[0].MetricName, amount.Unrated[0].Quantity, amount.Unrated[0].Records})

	require.Nil(t, b.usageOf(t, sub, fmt.Sprintf("?from=%d", amount.From-86400)).Amount, "of another time")
}

// Usage of a trial, and of a plan without metered prices, says why it costs nothing.
func TestUsageAmount_SaysWhatCostsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Metric](t, 201, b.ask(t, b.test, "POST", "/api/metrics", `{"name":"calls","aggregation":"sum"}`))
	for body, reason := range map[string]string{
		`"trialDays":14,"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"1"}]}]`: "trial",
		`"trialDays":0`: "no_metered_prices",
	} {
		plan := as[Plan](t, 201, b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"P","currency":"USD","interval":"month","amount":1000,`+body+`}`))
		sub := b.subscribeTo(t, plan.ID)

		used := b.usageOf(t, sub.ID, "")

		require.Nil(t, used.Amount)
		require.Len(t, used.Costless, 1)
		require.Equal(t, reason, used.Costless[0].Reason)
		require.Equal(t, [2]int64{sub.CurrentPeriodStart, sub.CurrentPeriodEnd},
			[2]int64{used.Costless[0].From, used.Costless[0].To})
	}
}
