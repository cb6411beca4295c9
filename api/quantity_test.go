package api

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Seats: a price for each, and a flat price that ignores them.
func TestSubscription_HasItemsWithQuantities(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Team","currency":"USD",
		"interval":"month","trialDays":14,"prices":[{"amount":1000},{"name":"Seats","model":"graduated","tiers":[
		{"upTo":"3","unitAmount":"450"},{"unitAmount":"0.35","flatAmount":7}]}]}`))
	require.Equal(t, "graduated", made.Prices[1].Model)
	require.Equal(t, []PriceTier{
		{TierRule: TierRule{UpTo: "3", UnitAmount: "450"}, UnitPrice: "4.5"},
		{TierRule: TierRule{UnitAmount: "0.35", FlatAmount: 7}, UnitPrice: "0.0035"},
	},
		made.Prices[1].Tiers)
	require.EqualValues(t, 1450, made.Amount)
	customer := b.newCustomer(t, b.test)

	sub := as[Subscription](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/subscriptions",
		map[string]any{"customerId": customer.ID, "planId": made.ID, "quantity": 5}))

	require.EqualValues(t, 5, sub.Quantity)
	require.Len(t, sub.Items, 2)
	require.Equal(t, [2]int64{1, 5}, [2]int64{sub.Items[0].Quantity, sub.Items[1].Quantity})
	require.Equal(t, made.Prices[1].ID, sub.Items[1].PriceID)
	change := func(body string) Subscription {
		return as[Subscription](t, http.StatusOK, b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, body))
	}
	later := change(`{"quantity":8,"effective":"period_end"}`)
	require.Equal(t, [2]int64{5, 8}, [2]int64{later.Quantity, later.PendingQuantity})
	now := change(`{"quantity":7}`)
	require.Equal(t, [2]int64{7, 0}, [2]int64{now.Quantity, now.PendingQuantity})
	require.EqualValues(t, 7, now.Items[1].Quantity)
	require.Equal(t, sub.Items[1].ID, now.Items[1].ID, "the item stays")
	got := as[Subscription](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/subscriptions/"+sub.ID, nil))
	require.Equal(t, now, got)
	for body, status := range map[string]int{
		`{"quantity":7}`: http.StatusConflict, `{"quantity":0}`: http.StatusUnprocessableEntity,
		`{}`:                      http.StatusUnprocessableEntity,
		`{"quantity":1000000001}`: http.StatusUnprocessableEntity,
	} {
		require.Equal(t, status, b.ask(t, b.test, "PATCH", "/api/subscriptions/"+sub.ID, body).Status, body)
	}
}

// Prices of units are in minor units. In major ones, as they were first, they still work, and the answer says what to send
// instead; a repeat is answered the same.
func TestUnitPrices_AreInMinorUnits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	create := func(prices string) Plan {
		return as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans",
			`{"name":"Team","currency":"BHD","interval":"month","prices":[`+prices+`]}`, "Idempotency-Key", prices))
	}
	seats, packs := `{"model":"per_unit","unitAmount":"1250.5"}`, `{"model":"package","packageSize":"10","packageAmount":"0.5"}`
	minor := create(seats + "," + packs)
	require.EqualValues(t, 1252, minor.Amount, "1250.5 and 0.5, each rounded")
	require.Empty(t, minor.Warnings)
	seats, packs = `{"model":"per_unit","unitPrice":"1.2505","currencies":{"USD":{"unitPrice":"3"}}}`,
		`{"model":"package","packageSize":"10","packagePrice":"0.0005","currencies":{"USD":{"packageAmount":"1"}}}`
	major := create(seats + "," + packs)
	require.Equal(t, minor.Amount, major.Amount)
	require.Equal(t, [2]string{"1250.5", "1.2505"}, [2]string{major.Prices[0].UnitAmount, major.Prices[0].UnitPrice})
	require.Equal(t, [2]string{"0.5", "0.0005"}, [2]string{major.Prices[1].PackageAmount, major.Prices[1].PackagePrice})
	require.Equal(t, [2]string{"300", "3"},
		[2]string{major.Prices[0].Currencies["USD"].UnitAmount, major.Prices[0].Currencies["USD"].UnitPrice})
	var warned []string
	for _, w := range major.Warnings {
		warned = append(warned, w.Code+" "+w.Param)
	}
	require.Equal(t, []string{"field_deprecated prices[0].unitPrice",
		"field_deprecated prices[0].currencies.USD.unitPrice", "field_deprecated prices[1].packagePrice"}, warned)
	require.Contains(t, major.Warnings[0].Message, "Send unitAmount, which is in minor units: 1250.5 instead of 1.2505.")
	require.Equal(t, major, create(seats+","+packs), "a repeat")
	got := as[Plan](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/plans/"+major.ID, nil))
	require.Empty(t, got.Warnings)
	problem(t, 409, "plan_version_unchanged", "prices", b.ask(t, b.test, "POST", "/api/plans/"+major.ID+"/versions",
		map[string]any{"prices": withoutIDs(t, got.Prices)}))
	next := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans/"+minor.ID+"/versions",
		`{"prices":[{"model":"per_unit","unitPrice":"2"}]}`))
	require.Equal(t, "2000", next.Prices[0].UnitAmount)
	require.Len(t, next.Warnings, 1)
}

func TestCreatePlan_NamesTheParameterAtFault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for price, want := range map[string][2]string{
		`{"model":"per_unit"}`:                                     {"price_parameter_missing", "prices[0].unitAmount"},
		`{"model":"per_unit","unitPrice":"1,5"}`:                   {"decimal_invalid", "prices[0].unitPrice"},
		`{"model":"per_unit","unitAmount":"0.00000000001"}`:        {"decimal_invalid", "prices[0].unitAmount"},
		`{"model":"per_unit","unitAmount":"1","unitPrice":"0.02"}`: {"fields_exclusive", "prices[0].unitPrice"},
		`{"model":"per_unit","unitAmount":"1,5"}`:                  {"decimal_invalid", "prices[0].unitAmount"},
		`{"model":"per_unit","unitAmount":"100","amount":5}`:       {"price_parameter_unexpected", "prices[0].amount"},
		`{"model":"volume","tiers":[{"upTo":"3"},{"upTo":"2"}]}`:   {"price_parameter_missing", "prices[0].tiers[0].unitAmount"},
	} {
		got := b.ask(t, b.test, "POST", "/api/plans", `{"name":"x","currency":"USD","interval":"month","prices":[`+price+`]}`)
		require.Equal(t, http.StatusUnprocessableEntity, got.Status, "%s: %s", price, got.Body)
		require.Contains(t, string(got.Body), want[0])
		require.Contains(t, string(got.Body), want[1])
	}
}

// withoutIDs are prices as a client sends them back that it has read.
func withoutIDs(t *testing.T, prices any) (forms []map[string]any) {
	t.Helper()
	text, err := json.Marshal(prices)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &forms))
	for i := range forms {
		delete(forms[i], "id")
		if forms[i]["model"] != "flat" {
			delete(forms[i], "amount")
		}
	}
	return forms
}
