package metered_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
)

// soldIn returns prices of 0.02 EUR a unit with amounts in further currencies, a commitment and a minimum.
func soldIn(change func(*metered.Prices)) *metered.Prices {
	p := metered.Prices{
		Components: []metered.Component{calls(metered.Rate{Price: perUnit, Currencies: rating.Currencies{
			"USD": {UnitPrice: dec("0.03")}, "GBP": {UnitPrice: dec("0.01")},
		}})},
		Commitment: &metered.Commitment{ID: "price_2", Amount: 5000, Currencies: map[money.Currency]money.Minor{
			"USD": 6000, "GBP": 4000,
		}},
		Minimum: &metered.Minimum{ID: "price_3", Amount: 900, Currencies: map[money.Currency]money.Minor{
			"USD": 1000, "GBP": 800,
		}},
	}
	if change != nil {
		change(&p)
	}
	return &p
}

func TestPrices_Codes(t *testing.T) {
	t.Parallel()
	amounts := map[money.Currency]money.Minor{"USD": 1}
	for name, c := range map[string]struct {
		of   *metered.Prices
		want []money.Currency
	}{
		"no prices":       {},
		"one currency":    {of: pricesOf(component(perUnit))},
		"of a commitment": {&metered.Prices{Commitment: &metered.Commitment{Currencies: amounts}}, []money.Currency{"USD"}},
		"of a minimum":    {&metered.Prices{Minimum: &metered.Minimum{Currencies: amounts}}, []money.Currency{"USD"}},
		"of all of them":  {soldIn(nil), []money.Currency{"GBP", "USD"}},
	} {
		require.Equal(t, c.want, c.of.Codes(), name)
	}
}

// Prices are offered in a currency if each part has an amount in it. The fault names the first part without one.
func TestPrices_CheckCurrency(t *testing.T) {
	t.Parallel()
	const missing = "price_currency_missing"
	for name, c := range map[string]struct {
		change      func(*metered.Prices)
		code, param string
		unoffered   bool
	}{
		"each has amounts": {},
		"no commitment and no minimum": {change: func(p *metered.Prices) {
			p.Commitment, p.Minimum = nil, nil
		}},
		"a rate has none": {func(p *metered.Prices) {
			delete(p.Components[0].Rates[0].Currencies, "USD")
		}, missing, "meteredPrices[0].rates[0].currencies.USD", true},
		"the commitment has none": {func(p *metered.Prices) {
			delete(p.Commitment.Currencies, "USD")
		}, missing, "commitment.currencies.USD", true},
		"the minimum has none": {func(p *metered.Prices) {
			delete(p.Minimum.Currencies, "USD")
		}, missing, "minimum.currencies.USD", true},
		"a rate has no unit price": {
			change: func(p *metered.Prices) { p.Components[0].Rates[0].Currencies["USD"] = rating.Amounts{} },
			code:   "price_parameter_missing", param: "meteredPrices[0].rates[0].currencies.USD.unitAmount",
		},
		"a commitment below zero": {
			change: func(p *metered.Prices) { p.Commitment.Currencies["USD"] = -1 },
			code:   "metered_commitment_invalid", param: "commitment.currencies.USD.amount",
		},
		"a minimum below zero": {
			change: func(p *metered.Prices) { p.Minimum.Currencies["USD"] = -1 },
			code:   "plan_minimum_invalid", param: "minimum.currencies.USD.amount",
		},
		"a threshold of an amount": {
			change: func(p *metered.Prices) { p.Thresholds = []metered.Threshold{{Percent: dec("80")}, {Amount: 1}} },
			code:   "usage_threshold_invalid", param: "usageThresholds[1].amount",
		},
		"a threshold of a percentage": {change: func(p *metered.Prices) {
			p.Thresholds = []metered.Threshold{{Percent: dec("80")}}
		}},
	} {
		p := soldIn(c.change)
		require.Equal(t, [2]string{c.code, c.param}, refusal(p.CheckCurrency("USD")), name)
		require.Equal(t, !c.unoffered, p.Offers("USD"), name)
		require.True(t, p.Offers("GBP"), name)
	}
	var none *metered.Prices
	require.True(t, none.Offers("USD"))
	require.NoError(t, none.CheckCurrency("USD"))
}

// In another currency each part has its amount in that currency; in the plan's own, its own amount. The result has no
// further currencies.
func TestPrices_In(t *testing.T) {
	t.Parallel()
	for in, want := range map[money.Currency]struct {
		unit              string
		commitment, least money.Minor
	}{
		"EUR": {"0.02", 5000, 900}, "USD": {"0.03", 6000, 1000}, "GBP": {"0.01", 4000, 800},
	} {
		p := soldIn(nil)
		got := p.In(in, "EUR")
		rate := got.Components[0].Rates[0]
		require.Equal(t, want.unit, rate.Price.UnitPrice.String(), in)
		require.Equal(t, &metered.Commitment{ID: "price_2", Amount: want.commitment}, got.Commitment, in)
		require.Equal(t, &metered.Minimum{ID: "price_3", Amount: want.least}, got.Minimum, in)
		require.Empty(t, got.Codes(), in)
		require.Equal(t, soldIn(nil), p, "the prices themselves were changed")
	}
	var none *metered.Prices
	require.Nil(t, none.In("USD", "EUR"))
	bare := pricesOf(component(perUnit))
	require.Equal(t, bare, bare.In("EUR", "EUR"))
}
