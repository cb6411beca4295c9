package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
)

// A plan is sold in the currencies that its prices have, and a subscription chooses one for its life.
func TestPlan_SoldInSeveralCurrencies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(path, body string) Plan {
		t.Helper()
		return as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", path, body))
	}
	team := create("/api/plans", `{"name":"Team","currency":"USD","interval":"month","trialDays":14,"prices":[
		{"amount":1000,"currencies":{"EUR":{"amount":900}}},
		{"name":"Seats","model":"graduated","minimum":5,"tiers":[{"upTo":"3","unitAmount":"450"},{"unitAmount":"400","flatAmount":7}],
		"currencies":{"EUR":{"minimum":4,"tiers":[{"unitAmount":"400"},{"unitAmount":"350","flatAmount":6}]}}}]}`)
	backup := create("/api/plans", `{"kind":"add_on","name":"Backup","currency":"EUR","interval":"month","amount":200}`)
	dollars := create("/api/plans", `{"name":"Dollars","currency":"USD","interval":"month","amount":100}`)
	require.Equal(t, [2][]string{{"USD", "EUR"}, {"USD"}}, [2][]string{team.Currencies, dollars.Currencies})
	require.Equal(t, map[string]PriceAmounts{"EUR": {Minimum: 4, Tiers: []TierAmounts{
		{UnitAmount: "400", UnitPrice: "4"}, {UnitAmount: "350", UnitPrice: "3.5", FlatAmount: 6},
	}}}, team.Prices[1].Currencies)
	require.Equal(t, team, as[Plan](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/plans/"+team.ID, nil)))
	customer := b.newCustomer(t, b.test)
	form := func(currency string) map[string]any {
		return map[string]any{
			"customerId": customer.ID, "planId": team.ID, "quantity": 5, "currency": currency,
			"addOns": []any{map[string]any{"planId": backup.ID}},
		}
	}

	shown := as[SubscriptionPreview](t, http.StatusOK, b.ask(t, b.test, "POST", "/api/subscriptions/preview", form("EUR")))
	require.Equal(t, [2]any{"EUR", int64(900 + 3*400 + 2*350 + 6 + 200)},
		[2]any{shown.Upcoming[0].Currency, shown.Upcoming[0].Total})
	lines := shown.Upcoming[0].Lines
	require.Nil(t, lines[0].Explanation, "quantity × unitAmount")
	require.Equal(t, &view.LineExplanation{Steps: []view.ExplanationStep{
		{Kind: "units", Tier: 1, Quantity: "3", UnitAmount: "400", Amount: "1200"},
		{Kind: "units", Tier: 2, Quantity: "2", UnitAmount: "350", Amount: "700"},
		{Kind: "fixed", Tier: 2, Quantity: "1", UnitAmount: "6", Amount: "6"},
	}}, lines[1].Explanation)
	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions", form("EUR")))
	require.Equal(t, "EUR", sub.Currency)
	require.Equal(t, team.Prices[1].ID, sub.Items[1].PriceID)
	path := "/api/subscriptions/" + sub.ID
	own := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": team.ID}))
	require.Equal(t, "USD", own.Currency)
	versions, grants := "/api/plans/"+team.ID+"/versions", "/api/customers/"+customer.ID+"/credit-grants"
	alone := problem(t, 422, "amount_alone", "amount", b.ask(t, b.test, "POST", versions, `{"amount":1200}`))
	require.Contains(t, alone.Detail, "The plan is sold in USD, EUR, and `amount` is in USD alone")
	second := create(versions, `{"prices":[{"amount":1200}]}`)
	require.Equal(t, []string{"USD"}, second.Currencies)
	problem(t, 409, "plan_version_unchanged", "prices", b.ask(t, b.test, "POST", versions, `{"amount":1200}`))

	grant := func(currency string) string {
		return `{"currency":"` + currency + `","amount":5,"planIds":["` + team.ID + `"]}`
	}
	// the subscription stays on version 1
	as[CreditGrant](t, http.StatusCreated, b.ask(t, b.test, "POST", grants, grant("EUR")))
	mismatch := problem(t, 422, "currency_mismatch", "planIds[0]", b.ask(t, b.test, "POST", grants, grant("GBP")))
	require.Contains(t, mismatch.Detail, "The plan is sold in USD, EUR, and not in GBP")

	for _, c := range []struct {
		path, body, code, param string
	}{
		{path, `{"planId":"` + dollars.ID + `"}`, "currency_mismatch", "planId"},
		{path, `{"planId":"` + dollars.ID + `","effective":"period_end"}`, "currency_mismatch", "planId"},
		{path, `{"planVersion":2}`, "currency_mismatch", "planVersion"},
		{path + "/preview", `{"planId":"` + dollars.ID + `"}`, "currency_mismatch", "planId"},
		{"/api/subscriptions/" + own.ID, `{"addOns":[{"planId":"` + backup.ID + `"}]}`, "currency_mismatch",
			"addOns[0].planId"},
		{"/api/subscriptions", `{"customerId":"` + customer.ID + `","planId":"` + dollars.ID + `","currency":"EUR"}`,
			"currency_not_offered", "currency"},
		{"/api/plans", `{"name":"x","currency":"USD","interval":"month","prices":[{"amount":5,"currencies":{"EUR":{}}}]}`,
			"price_parameter_missing", "prices[0].currencies.EUR.amount"},
		{"/api/plans",
			`{"name":"x","currency":"USD","interval":"month","prices":[{"amount":5,"currencies":{"EUR":{"amount":1}}},{"amount":5}]}`,
			"price_currency_missing", "prices[1].currencies.EUR"},
		{"/api/plans",
			`{"name":"x","currency":"USD","interval":"month","prices":[{"amount":5,"currencies":{"EUR":{"amont":1}}}]}`,
			"field_unknown", "prices[0].currencies.EUR.amont"},
	} {
		method := "POST"
		if c.path == path || c.path == "/api/subscriptions/"+own.ID {
			method = "PATCH"
		}
		got := b.ask(t, b.test, method, c.path, c.body)
		require.Equal(t, http.StatusUnprocessableEntity, got.Status, "%s: %s", c.body, got.Body)
		require.Contains(t, string(got.Body), `"`+c.code+`"`)
		require.Contains(t, string(got.Body), `"`+c.param+`"`)
	}
	moved := as[PlanMigration](t, http.StatusOK,
		b.ask(t, b.test, "POST", "/api/plans/"+team.ID+"/migrate", `{"dryRun":true}`))
	require.Equal(t, [3]int{2, 0, 1}, [3]int{moved.Examined, moved.Migrated, moved.Would})
	require.Len(t, moved.Refused, 1)
	require.Equal(t, [2]string{sub.ID, "currency_mismatch"},
		[2]string{moved.Refused[0].SubscriptionID, moved.Refused[0].Code})
	kept := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", path, `{"quantity":2}`))
	require.Equal(t, "EUR", kept.Currency)
}
