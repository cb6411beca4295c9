package subscription

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/terms"
)

func TestBilling_AsksMethod(t *testing.T) {
	t.Parallel()
	of := func(prices ...plan.Price) plan.Plan { return plan.Plan{Currency: "EUR", Prices: prices} }
	flat := func(amount money.Minor) plan.Plan { return of(plan.Flat("price_1", "base", amount)) }
	perSeat := func(amount money.Decimal) plan.Plan {
		return of(plan.Price{ID: "price_1", Price: rating.Price{Model: rating.PerUnit, UnitPrice: amount}})
	}
	fee := plan.Flat("price_2", "setup", 900)
	fee.Once = true
	onlyFee := flat(0)
	onlyFee.Prices = append(onlyFee.Prices, fee)
	addOn := func(amount money.Minor) plan.Plan {
		p := flat(amount)
		p.AddOn = true
		return p
	}
	usage := flat(0)
	usage.Metered = &metered.Prices{Components: []metered.Component{{ID: "price_3", MetricName: "calls"}}}
	inDollars := flat(500)
	inDollars.Currency = "USD"
	soldInBoth := inDollars
	soldInBoth.Prices = []plan.Price{plan.Flat("price_1", "base", 500)}
	soldInBoth.Prices[0].Currencies = plan.Currencies{"EUR": rating.Amounts{}}

	sent := terms.Terms{Method: terms.Send, NetDays: 14}
	free, paid := []plan.Plan{flat(0)}, []plan.Plan{flat(1)}
	for name, c := range map[string]struct {
		of    Billing
		costs bool
		asks  bool
	}{
		"nothing":                      {Billing{}, false, false},
		"a free plan":                  {Billing{Plans: free}, false, false},
		"a plan":                       {Billing{Plans: paid}, true, true},
		"seats":                        {Billing{Plans: []plan.Plan{perSeat(money.Whole(5))}}, true, true},
		"seats for nothing":            {Billing{Plans: []plan.Plan{perSeat(money.Decimal{})}}, false, false},
		"an add-on of a free plan":     {Billing{Plans: []plan.Plan{flat(0), addOn(1)}}, true, true},
		"free add-ons of a free plan":  {Billing{Plans: []plan.Plan{flat(0), addOn(0)}}, false, false},
		"a free add-on of a plan":      {Billing{Plans: []plan.Plan{flat(1), addOn(0)}}, true, true},
		"usage":                        {Billing{Plans: []plan.Plan{usage}}, true, true},
		"a fee, once it is billed":     {Billing{Plans: []plan.Plan{onlyFee}}, false, false},
		"a fee, before":                {Billing{Plans: []plan.Plan{onlyFee}, Fees: true}, true, true},
		"free from the start":          {Billing{Plans: free, Fees: true}, false, false},
		"sent":                         {Billing{Plans: paid, Terms: sent}, true, false},
		"charged, as the method says":  {Billing{Plans: paid, Terms: terms.Terms{Method: terms.Charge}}, true, true},
		"canceled at period end":       {Billing{Plans: paid, Ends: true}, true, false},
		"sent, canceled at period end": {Billing{Plans: paid, Ends: true, Terms: sent}, true, false},
		"sold in another currency":     {Billing{Plans: []plan.Plan{inDollars}}, false, false},
		"sold in both currencies":      {Billing{Plans: []plan.Plan{soldInBoth}}, true, true},
	} {
		c.of.Currency = "EUR"
		require.Equal(t, c.costs, c.of.Costs(), name)
		require.Equal(t, c.asks, c.of.AsksMethod(), name)
	}
}

// A trial's later periods count: the customer's method must be able to pay for them.
func TestSubscription_BillsInATrial(t *testing.T) {
	t.Parallel()
	paid := plan.Plan{Currency: "EUR", Prices: []plan.Price{plan.Flat("price_1", "base", 500)}}
	s := Subscription{Status: Trialing, Currency: "EUR"}
	require.True(t, s.Bills(paid).AsksMethod())
	require.True(t, s.Bills().Charged())
	require.False(t, s.Bills().AsksMethod(), "of no plan")
	s.Terms.Method = terms.Send
	require.False(t, s.Bills(paid).AsksMethod())
	require.False(t, s.Bills().Charged())
}

func TestAskedIn(t *testing.T) {
	t.Parallel()
	in := func(c money.Currency, amount money.Minor) Billing {
		return Billing{Currency: c, Plans: []plan.Plan{
			{Currency: c, Prices: []plan.Price{plan.Flat("price_1", "base", amount)}},
		}}
	}
	ended := in("USD", 500)
	ended.Ends = true
	require.Equal(t, []money.Currency{"EUR", "XAF"},
		AskedIn([]Billing{in("EUR", 500), in("EUR", 0), in("EUR", 900), in("GBP", 0), ended, in("XAF", 500)}))
	require.Empty(t, AskedIn(nil))
}
