package metered_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

func TestValidate_Component(t *testing.T) {
	t.Parallel()
	of := func(a usage.Aggregation, carries bool) usage.Metric {
		m := regions
		m.Aggregation, m.CarriesOver = a, carries
		return m
	}
	level, count := of(usage.WeightedSum, false), of(usage.Count, false)
	greatest, carried := of(usage.Max, false), of(usage.Sum, true)
	cumulate := func(c *metered.Component) { c.Cumulated = true }
	rounded := regions
	rounded.Conversion.Rounding = money.RoundUp
	percentage := func(c *metered.Component) {
		c.Rates[0].Price = rating.Price{Model: rating.Percentage, Percent: money.Whole(1)}
	}
	byTransaction := func(c *metered.Component) {
		percentage(c)
		c.Rates[0].Price.Transactions.Free = 1
	}
	for _, c := range []struct {
		code   string
		of     usage.Metric
		change func(*metered.Component)
	}{
		{"", regions, func(*metered.Component) {}},
		{"", regions, cumulate},
		{"metered_rates_out_of_range", regions, func(c *metered.Component) { c.Rates = nil }},
		{"metered_dimension_unknown", regions, func(c *metered.Component) { c.Rates[0].By = []string{"city"} }},
		{"metered_dimension_unknown", regions, func(c *metered.Component) {
			c.Rates[0].Where = map[string]string{"city": "x"}
		}},
		{"metered_dimension_unknown", regions, func(c *metered.Component) { c.Rates[0].By = []string{"tier", "tier"} }},
		{"metered_model_unsupported", regions, func(c *metered.Component) {
			c.Rates[0].Price = rating.Price{Model: rating.Flat, Amount: 1}
		}},
		{"", regions, percentage},
		{"", regions, byTransaction},
		{"", greatest, percentage},
		{"metered_percentage_unsupported", count, percentage},
		{"metered_percentage_unsupported", greatest, byTransaction},
		{"metered_percentage_unsupported", carried, byTransaction},
		{"metered_percentage_unsupported", rounded, byTransaction},
		{"", rounded, percentage},
		{"metered_cumulated_unsupported", regions, func(c *metered.Component) {
			byTransaction(c)
			c.Cumulated = true
		}},
		{"", count, cumulate},
		{"metered_cumulated_unsupported", level, cumulate},
		{"metered_cumulated_unsupported", greatest, cumulate},
		{"metered_cumulated_unsupported", carried, cumulate},
		{"metered_cumulated_unsupported", regions, func(c *metered.Component) {
			c.Cumulated, c.Rates[0].Price.Minimum = true, 1
		}},
		{"metered_cumulated_unsupported", regions, func(c *metered.Component) {
			c.Cumulated, c.Rates[0].Price = true, volume
		}},
	} {
		one := component(graduated)
		c.change(&one)
		if err := one.Validate(c.of); c.code == "" {
			require.NoError(t, err)
		} else {
			require.Equal(t, c.code, fault.From(err).Code)
		}
	}
}
