package metered_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

func calls(rates ...metered.Rate) metered.Component {
	return metered.Component{MetricName: "calls", Rates: rates}
}

func refusal(err error) [2]string {
	if err == nil {
		return [2]string{}
	}
	return [2]string{fault.From(err).Code, fault.From(err).Param}
}

func TestPrices_Check(t *testing.T) {
	t.Parallel()
	one := calls(metered.Rate{Price: perUnit})
	commitment := func(amount money.Minor, factor string) metered.Prices {
		k := metered.Commitment{Amount: amount}
		if factor != "" {
			k.OverageFactor = dec(factor)
		}
		return metered.Prices{Components: []metered.Component{one}, Commitment: &k}
	}
	most := make([]metered.Component, metered.MaxComponents)
	for i := range most {
		most[i] = one
	}
	rates := func(n int) metered.Prices {
		var all []metered.Rate
		for i := range n {
			all = append(all, metered.Rate{Where: map[string]string{"region": strconv.Itoa(i)}, Price: perUnit})
		}
		return metered.Prices{Components: []metered.Component{calls(all...)}}
	}
	for name, c := range map[string]struct {
		of          metered.Prices
		code, param string
	}{
		"one":                 {of: metered.Prices{Components: []metered.Component{one}}},
		"as many as may be":   {of: metered.Prices{Components: most}},
		"as many rates":       {of: rates(metered.MaxRates)},
		"with a commitment":   {of: commitment(5000, "0.8")},
		"the dearest overage": {of: commitment(5000, "100")},
		"one rate more":       {rates(metered.MaxRates + 1), "metered_rates_out_of_range", "meteredPrices[0].rates"},
		"as long as a value gets": {of: metered.Prices{Components: []metered.Component{calls(
			metered.Rate{Where: map[string]string{"region": strings.Repeat("ü", usage.MaxProperty)}, Price: perUnit},
		)}}},
		"none": {metered.Prices{}, "metered_prices_out_of_range", "meteredPrices"},
		"too many": {
			metered.Prices{Components: make([]metered.Component, metered.MaxComponents+1)},
			"metered_prices_out_of_range", "meteredPrices",
		},
		"without rates": {
			metered.Prices{Components: []metered.Component{one, calls()}}, "metered_rates_out_of_range", "meteredPrices[1].rates",
		},
		"without price": {
			metered.Prices{Components: []metered.Component{calls(metered.Rate{Price: rating.Price{Model: rating.PerUnit}})}},
			"price_parameter_missing", "meteredPrices[0].rates[0].unitAmount",
		},
		"never asked": {
			metered.Prices{Components: []metered.Component{calls(
				metered.Rate{Where: map[string]string{"region": "eu"}, Price: perUnit},
				metered.Rate{Where: map[string]string{"region": "eu", "tier": "a"}, Price: perUnit},
			)}}, "metered_rate_unreachable", "meteredPrices[0].rates[1].where",
		},
		"a value that breaks lines": {
			metered.Prices{Components: []metered.Component{calls(
				metered.Rate{Where: map[string]string{"region": "e\nu"}, Price: perUnit},
			)}}, "text_invalid", "meteredPrices[0].rates[0].where",
		},
		"a value that is too long": {
			metered.Prices{Components: []metered.Component{calls(
				metered.Rate{Where: map[string]string{"region": strings.Repeat("x", usage.MaxProperty+1)}, Price: perUnit},
			)}}, "metered_dimension_unknown", "meteredPrices[0].rates[0].where",
		},
		"commitment to nothing": {commitment(0, ""), "metered_commitment_invalid", "commitment.amount"},
		"overage is free":       {commitment(1, "0"), "metered_commitment_invalid", "commitment.overageFactor"},
		"overage is absurd":     {commitment(1, "100.1"), "metered_commitment_invalid", "commitment.overageFactor"},
		"commitment too large":  {commitment(money.MaxMinor+1, ""), "amount_too_large", "commitment.amount"},
	} {
		require.Equal(t, [2]string{c.code, c.param}, refusal(c.of.Check()), name)
	}
}

// A version of a plan keeps the metric version of its creation.
func TestPrices_Resolve(t *testing.T) {
	t.Parallel()
	second := regions
	second.Version = 2
	made := calls(metered.Rate{Where: map[string]string{"region": "eu"}, Price: perUnit})
	made.MetricVersionID = "met_1"
	p := metered.Prices{Components: []metered.Component{made, calls(metered.Rate{By: []string{"tier"}, Price: graduated})}}
	require.Equal(t, []string{"calls"}, p.Unresolved())

	out, err := p.Resolve(map[string]usage.Metric{"calls": second})

	require.NoError(t, err)
	require.Equal(t, []string{"met_1", "met_1.2"},
		[]string{out.Components[0].MetricVersionID, out.Components[1].MetricVersionID})
	require.Empty(t, out.Unresolved())
	require.Empty(t, p.Components[1].MetricVersionID, "the prices themselves were changed")
	_, err = p.Resolve(nil)
	require.Equal(t, [2]string{"metric_not_found", "meteredPrices[1].metricName"}, refusal(err))
	p.Components[1].Rates[0].By = []string{"city"}
	_, err = p.Resolve(map[string]usage.Metric{"calls": second})
	require.Equal(t, [2]string{"metered_dimension_unknown", "meteredPrices[1].rates[0].by"}, refusal(err))
}

func TestPrices_Same(t *testing.T) {
	t.Parallel()
	made := func(change func(*metered.Prices)) *metered.Prices {
		p := metered.Prices{
			Components: []metered.Component{{
				ID: "price_1", Name: "Calls", MetricName: "calls", MetricVersionID: "met_1", Rates: []metered.Rate{{Price: perUnit}},
			}},
			Commitment: &metered.Commitment{ID: "price_2", Amount: 5000},
		}
		change(&p)
		return &p
	}
	as := made(func(*metered.Prices) {})
	for name, c := range map[string]struct {
		same   bool
		change func(*metered.Prices)
	}{
		"equal":              {true, func(*metered.Prices) {}},
		"ids":                {true, func(p *metered.Prices) { p.Components[0].ID, p.Commitment.ID = "", "" }},
		"not resolved":       {true, func(p *metered.Prices) { p.Components[0].MetricVersionID = "" }},
		"another version":    {false, func(p *metered.Prices) { p.Components[0].MetricVersionID = "met_1.2" }},
		"another metric":     {false, func(p *metered.Prices) { p.Components[0].MetricName = "users" }},
		"another name":       {false, func(p *metered.Prices) { p.Components[0].Name = "" }},
		"another price":      {false, func(p *metered.Prices) { p.Components[0].Rates[0].Price = graduated }},
		"another commitment": {true, func(p *metered.Prices) { p.Commitment.Amount++ }},
		"no commitment":      {true, func(p *metered.Prices) { p.Commitment = nil }},
		"one more":           {false, func(p *metered.Prices) { p.Components = append(p.Components, p.Components[0]) }},
	} {
		require.Equal(t, c.same, as.Same(made(c.change)), name)
		require.Equal(t, c.same, made(c.change).Same(as), name)
	}
	for same, change := range map[bool]func(*metered.Prices){
		true:  func(p *metered.Prices) { p.Commitment.ID = "" },
		false: func(p *metered.Prices) { p.Commitment.OverageFactor = dec("2") },
	} {
		require.Equal(t, same, as.SameCommitment(made(change)))
	}
	require.False(t, as.SameCommitment(made(func(p *metered.Prices) { p.Commitment.Amount++ })))
	require.False(t, as.SameCommitment(nil))
	two := func(first, second string) *metered.Prices {
		return made(func(p *metered.Prices) {
			p.Components = append(p.Components, p.Components[0])
			p.Components[0].Name, p.Components[1].Name = first, second
		})
	}
	require.True(t, two("a", "b").Same(two("b", "a")), "in another order")
	var none *metered.Prices
	require.True(t, none.Same(nil))
	require.False(t, none.Same(as))
	require.False(t, as.Same(none))
	require.Equal(t, "price_1", as.Components[0].ID, "comparing changed it")
	require.Equal(t, "price_2", as.Commitment.ID, "comparing changed it")
}

// Stored prices are read without a change.
func TestPrices_AreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	p := metered.Prices{
		Components: []metered.Component{{
			ID: "price_1", Name: "Calls", MetricName: "calls", MetricVersionID: "met_1", Cumulated: true,
			Rates: []metered.Rate{{Where: map[string]string{"region": "eu"}, By: []string{"tier"}, Price: graduated}},
		}},
		Commitment: &metered.Commitment{ID: "price_2", Amount: 5000, OverageFactor: dec("0.8")},
	}
	text, err := json.Marshal(p)
	require.NoError(t, err)
	var back metered.Prices
	require.NoError(t, json.Unmarshal(text, &back))
	require.True(t, back.Same(&p))
	again, err := json.Marshal(back)
	require.NoError(t, err)
	require.Equal(t, string(text), string(again))
}
