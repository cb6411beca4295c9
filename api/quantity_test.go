package api

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Seats: a price for each, and a flat one that ignores them.
func TestSubscription_HasItemsWithQuantities(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	made := as[Plan](t, http.StatusCreated, b.ask(t, b.test, "POST", "/api/plans", `{"name":"Team","currency":"USD",
		"interval":"month","trialDays":14,"prices":[{"amount":1000},{"name":"Seats","model":"graduated","tiers":[
		{"upTo":"3","unitPrice":"4.5"},{"unitPrice":"0.0035","flatAmount":7}]}]}`))
	require.Equal(t, "graduated", made.Prices[1].Model)
	require.Equal(t, []PriceTier{{UpTo: "3", UnitPrice: "4.5"}, {UnitPrice: "0.0035", FlatAmount: 7}},
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

func TestCreatePlan_NamesTheParameterAtFault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for price, want := range map[string][2]string{
		`{"model":"per_unit"}`:                                   {"price_parameter_missing", "prices[0].unitPrice"},
		`{"model":"per_unit","unitPrice":"1,5"}`:                 {"decimal_invalid", "prices[0].unitPrice"},
		`{"model":"per_unit","unitPrice":"1","amount":5}`:        {"price_parameter_unexpected", "prices[0].amount"},
		`{"model":"volume","tiers":[{"upTo":"3"},{"upTo":"2"}]}`: {"price_parameter_missing", "prices[0].tiers[0].unitPrice"},
	} {
		got := b.ask(t, b.test, "POST", "/api/plans", `{"name":"x","currency":"USD","interval":"month","prices":[`+price+`]}`)
		require.Equal(t, http.StatusUnprocessableEntity, got.Status, "%s: %s", price, got.Body)
		require.Contains(t, string(got.Body), want[0])
		require.Contains(t, string(got.Body), want[1])
	}
}
