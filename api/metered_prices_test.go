package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const callsPlan = `{"name":"Calls","currency":"USD","interval":"month","amount":1000,"meteredPrices":[
	{"metricName":"calls","rates":[
		{"where":{"region":"eu"},"by":["tier"],"model":"per_unit","unitAmount":"0.35","included":"1000"},
		{"model":"graduated","minimum":500,"tiers":[{"upTo":"10","unitAmount":"2"},{"packageSize":"5","packageAmount":"7.5"}]}]}],
	"commitment":{"amount":5000,"overageFactor":"0.8"}}`

// A plan says what usage costs, in versions as all prices, and to subscribe to it is refused: usage is not billed yet.
func TestMeteredPrices_AreShownAndSoldWithPlans(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path, body string) response { return b.ask(t, b.test, method, path, body) }
	problem(t, 404, "metric_not_found", "meteredPrices[0].metricName", ask("POST", "/api/plans", callsPlan))
	metric := as[Metric](t, 201, ask("POST", "/api/metrics",
		`{"name":"calls","aggregation":"sum","groupBy":["region","tier"]}`))

	made := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", callsPlan))

	require.EqualValues(t, 1000, made.Amount, "what usage costs is not known before")
	price := made.MeteredPrices[0]
	require.Equal(t, [3]any{"calls", metric.ID, 1}, [3]any{price.MetricName, price.MetricID, price.MetricVersion})
	require.Equal(t, []string{"0.35", "1000"}, []string{price.Rates[0].UnitAmount, price.Rates[0].Included})
	require.Equal(t, map[string]string{"region": "eu"}, price.Rates[0].Where)
	require.Equal(t, "7.5", price.Rates[1].Tiers[1].PackageAmount)
	require.Equal(t, [2]any{int64(5000), "0.8"}, [2]any{made.Commitment.Amount, made.Commitment.OverageFactor})
	path := "/api/plans/" + made.ID
	require.Equal(t, made, as[Plan](t, 200, ask("GET", path, "")))
	customer := b.newCustomer(t, b.test)

	versions := path + "/versions"
	problem(t, 409, "plan_version_unchanged", "prices", ask("POST", versions, `{"meteredPrices":[
		{"metricName":"calls","rates":[
		{"where":{"region":"eu"},"by":["tier"],"model":"per_unit","unitAmount":"0.350","included":"1000"},
		{"model":"graduated","minimum":500,"tiers":[{"upTo":"10","unitAmount":"2"},{"packageSize":"5","packageAmount":"7.5"}]}]}],
		"commitment":{"amount":5000,"overageFactor":"0.8"}}`))
	dearer := as[Plan](t, 201, ask("POST", versions, `{"amount":1500}`))
	require.Equal(t, made.MeteredPrices[0].Rates, dearer.MeteredPrices[0].Rates)
	require.Equal(t, made.MeteredPrices[0].ID, dearer.MeteredPrices[0].ID, "what charges the same goes on")
	committed := as[Plan](t, 201, ask("POST", versions, `{"commitment":{"amount":9000}}`))
	require.Equal(t, [2]any{int64(9000), ""}, [2]any{committed.Commitment.Amount, committed.Commitment.OverageFactor})
	flat := as[Plan](t, 201, ask("POST", versions, `{"meteredPrices":[]}`))
	require.Empty(t, flat.MeteredPrices)
	require.Nil(t, flat.Commitment)
	problem(t, 422, "metered_prices_out_of_range", "meteredPrices", ask("POST", versions, `{"commitment":{"amount":9000}}`))

	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": made.ID}))
	require.Equal(t, 4, sub.PlanVersion)
	other := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", callsPlan))
	sub = as[Subscription](t, 200,
		b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, map[string]any{"planId": other.ID, "effective": "period_end"}))
	require.Equal(t, other.ID, sub.PendingPlanID)
	extra := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", `{"name":"Extra","kind":"add_on","currency":"USD",
		"interval":"month","amount":1,"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"1"}]}]}`))
	sub = as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": made.ID, "addOns": []any{map[string]any{"planId": extra.ID}}}))
	require.Equal(t, extra.ID, sub.AddOns[0].PlanID)
}

// Prices in arrears stand among the others, and a plan may have a least amount of a period.
func TestPlan_InArrearsAndMinimum(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ask := func(method, path, body string) response { return b.ask(t, b.test, method, path, body) }
	made := as[Plan](t, http.StatusCreated, ask("POST", "/api/plans", `{"name":"Seats","currency":"USD","interval":"month",
		"prices":[{"amount":100,"currencies":{"EUR":{"amount":90}}},
		{"name":"Seats","billing":"arrears","model":"per_unit","unitAmount":"250","currencies":{"EUR":{"unitAmount":"220"}}}],
		"minimum":{"amount":5000,"currencies":{"EUR":{"amount":4500}}}}`))
	require.Equal(t, [2]string{"", "arrears"}, [2]string{made.Prices[0].Billing, made.Prices[1].Billing})
	require.EqualValues(t, 350, made.Amount, "what a period costs, whenever it is billed")
	require.EqualValues(t, 4500, made.Minimum.Currencies["EUR"].Amount)
	path := "/api/plans/" + made.ID
	require.Equal(t, made, as[Plan](t, 200, ask("GET", path, "")))
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": made.ID, "quantity": 3, "currency": "EUR"}))
	require.Len(t, sub.Items, 1, "an item is billed in advance")
	problem(t, 409, "plan_version_unchanged", "prices", ask("POST", path+"/versions", `{"minimum":{"amount":5000,
		"currencies":{"EUR":{"amount":4500}}}}`))
	none := as[Plan](t, 201, ask("POST", path+"/versions", `{"minimum":{"amount":0}}`))
	require.Nil(t, none.Minimum)
	problem(t, 422, "price_billing_invalid", "prices[0].billing", ask("POST", path+"/versions",
		`{"prices":[{"amount":1,"once":true,"billing":"arrears"}]}`))
	problem(t, 422, "add_on_field_unsupported", "minimum", ask("POST", "/api/plans", `{"name":"x","kind":"add_on",
		"currency":"USD","interval":"month","amount":1,"minimum":{"amount":5}}`))
	problem(t, 422, "price_currency_missing", "minimum.currencies.EUR", ask("POST", "/api/plans", `{"name":"x","currency":"USD",
		"interval":"month","prices":[{"amount":1,"currencies":{"EUR":{"amount":1}}}],"minimum":{"amount":5}}`))
}

func TestMeteredPrices_Refusals(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Metric](t, 201, b.ask(t, b.test, "POST", "/api/metrics", `{"name":"calls","aggregation":"max","groupBy":["region"]}`))
	for body, want := range map[string][2]string{
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit"}]}]`: {
			"price_parameter_missing", "meteredPrices[0].rates[0].unitAmount",
		},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"x"}]}]`: {
			"decimal_invalid", "meteredPrices[0].rates[0].unitAmount",
		},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"1","by":["city"]}]}]`: {
			"metered_dimension_unknown", "meteredPrices[0].rates[0].by",
		},
		`"meteredPrices":[{"metricName":"calls","cumulated":true,"rates":[{"model":"per_unit","unitAmount":"1"}]}]`: {
			"metered_cumulated_unsupported", "meteredPrices[0].cumulated",
		},
		`"commitment":{"amount":5}`: {"metered_prices_out_of_range", "meteredPrices"},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"percentage","percent":"2","transactions":{"free":1}}]}]`: {
			"metered_percentage_unsupported", "meteredPrices[0].rates[0].transactions",
		},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"percentage"}]}]`: {
			"price_parameter_missing", "meteredPrices[0].rates[0].percent",
		},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"percentage","percent":"100.1"}]}]`: {
			"price_parameter_out_of_range", "meteredPrices[0].rates[0].percent",
		},
		`"meteredPrices":[{"metricName":"calls","rates":[{"model":"percentage","percent":"1",
			"transactions":{"minimumAmount":"9","maximumAmount":"8"}}]}]`: {
			"price_parameter_out_of_range", "meteredPrices[0].rates[0].transactions.maximumAmount",
		},
		`"kind":"add_on","commitment":{"amount":5},"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"1"}]}]`: {
			"add_on_field_unsupported", "commitment",
		},
	} {
		problem(t, 422, want[0], want[1],
			b.ask(t, b.test, "POST", "/api/plans", `{"name":"x","currency":"USD","interval":"month","amount":1,`+body+`}`))
	}
	problem(t, 422, "price_currency_missing", "meteredPrices[0].rates[0].currencies.EUR", b.ask(t, b.test, "POST", "/api/plans",
		`{"name":"x","currency":"USD","interval":"month","prices":[{"amount":1,"currencies":{"EUR":{"amount":1}}}],
		"meteredPrices":[{"metricName":"calls","rates":[{"model":"per_unit","unitAmount":"1"}]}]}`))
}

// A percentage of payments is created, read and sold in another currency, in minor units throughout.
func TestMeteredPrices_Percentages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Metric](t, 201, b.ask(t, b.test, "POST", "/api/metrics", `{"name":"paid","aggregation":"sum","groupBy":["kind"]}`))
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Payments","currency":"USD",
		"interval":"month","prices":[{"amount":0,"currencies":{"EUR":{}}}],"meteredPrices":[{"metricName":"paid","rates":[
		{"where":{"kind":"card"},"model":"percentage","percent":"2.9","minimum":500,"transactions":{"feeAmount":"30",
		"minimumAmount":"50","maximumAmount":"2000","free":10,"freeAmount":"100000"},
		"currencies":{"EUR":{"minimum":450,"transactions":{"feeAmount":"25","minimumAmount":"45","maximumAmount":"1800",
		"freeAmount":"90000"}}}},
		{"model":"graduated_percentage","tiers":[{"upTo":"10000","percent":"1.5"},{"percent":"0.25","flatAmount":100}],
		"currencies":{"EUR":{"tiers":[{"upTo":"9000"},{"flatAmount":90}]}}}]}]}`))

	card, others := made.MeteredPrices[0].Rates[0], made.MeteredPrices[0].Rates[1]
	require.Equal(t, "2.9", card.Percent)
	require.Equal(t, "30", card.Transactions.FeeAmount)
	require.Equal(t, [2]any{10, "100000"}, [2]any{card.Transactions.Free, card.Transactions.FreeAmount})
	require.Equal(t, "1800", card.Currencies["EUR"].Transactions.MaximumAmount)
	require.Equal(t, [2]string{"1.5", "10000"}, [2]string{others.Tiers[0].Percent, others.Tiers[0].UpTo})
	require.Equal(t, "9000", others.Currencies["EUR"].Tiers[0].UpTo)
	require.Equal(t, made, as[Plan](t, 200, b.ask(t, b.test, "GET", "/api/plans/"+made.ID, "")))
	seats := b.ask(t, b.test, "POST", "/api/plans", `{"name":"x","currency":"USD","interval":"month",
		"prices":[{"model":"percentage","percent":"1"}]}`)
	require.Equal(t, 422, seats.Status, "seats are no amount of money")
}

// A plan with metered prices is sold in several currencies, each with amounts of its own.
func TestMeteredPrices_InSeveralCurrencies(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	as[Metric](t, 201, b.ask(t, b.test, "POST", "/api/metrics", `{"name":"calls","aggregation":"sum"}`))
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Calls","currency":"USD",
		"interval":"month","prices":[{"amount":1000,"currencies":{"EUR":{"amount":900}}}],"meteredPrices":[{"metricName":"calls",
		"rates":[{"model":"graduated","minimum":500,"tiers":[{"upTo":"10","unitAmount":"2"},{"packageSize":"5","packageAmount":"7.5"}],
		"currencies":{"EUR":{"minimum":450,"tiers":[{"unitAmount":"1.8"},{"packageAmount":"7"}]}}}]}],
		"commitment":{"amount":5000,"currencies":{"EUR":{"amount":4500}}}}`))

	require.Equal(t, []string{"USD", "EUR"}, made.Currencies)
	euros := made.MeteredPrices[0].Rates[0].Currencies["EUR"]
	require.EqualValues(t, 450, euros.Minimum)
	require.Equal(t, [2]string{"1.8", "7"}, [2]string{euros.Tiers[0].UnitAmount, euros.Tiers[1].PackageAmount})
	require.EqualValues(t, 4500, made.Commitment.Currencies["EUR"].Amount)
	require.Equal(t, made, as[Plan](t, 200, b.ask(t, b.test, "GET", "/api/plans/"+made.ID, "")))
	sub := as[Subscription](t, 201, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": b.newCustomer(t, b.test).ID, "planId": made.ID, "currency": "EUR"}))
	require.Equal(t, "EUR", sub.Currency)
}
