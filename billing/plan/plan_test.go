package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

func valid() plan.Plan {
	return plan.Plan{
		ID: "plan_1", Name: "Team", Currency: "EUR", Interval: period.Interval{Unit: period.Month, Count: 1}, Active: true,
		Prices: []plan.Price{
			plan.Flat("price_1", "Base", 1000), plan.Flat("price_2", "", 0),
			{ID: "price_3", Price: rating.Price{Model: rating.PerUnit, UnitPrice: dec("2.5005")}},
		},
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		change      func(*plan.Plan)
		code, param string
	}{
		{"as it is", func(*plan.Plan) {}, "", ""},
		{"free", func(p *plan.Plan) { p.Prices = p.Prices[1:2] }, "", ""},
		{"longest trial", func(p *plan.Plan) { p.TrialDays = plan.MaxTrialDays }, "", ""},
		{"most prices", func(p *plan.Plan) { p.Prices = flat(plan.MaxPrices, 1) }, "", ""},
		{"largest price", func(p *plan.Plan) { p.Prices = flat(1, money.MaxMinor) }, "", ""},
		{"no name", func(p *plan.Plan) { p.Name = "" }, "plan_name_missing", "name"},
		{"no currency", func(p *plan.Plan) { p.Currency = "" }, "currency_unknown", "currency"},
		{"currency in lower case", func(p *plan.Plan) { p.Currency = "eur" }, "currency_unknown", "currency"},
		{"no interval", func(p *plan.Plan) { p.Interval = period.Interval{} }, "interval_unknown", "interval"},
		{"empty interval", func(p *plan.Plan) { p.Interval.Count = 0 }, "interval_count_out_of_range", "intervalCount"},
		{"negative trial", func(p *plan.Plan) { p.TrialDays = -1 }, "trial_days_out_of_range", "trialDays"},
		{"endless trial", func(p *plan.Plan) { p.TrialDays = plan.MaxTrialDays + 1 }, "trial_days_out_of_range", "trialDays"},
		{"no prices", func(p *plan.Plan) { p.Prices = nil }, "prices_count_out_of_range", "prices"},
		{"too many prices", func(p *plan.Plan) {
			p.Prices = flat(plan.MaxPrices+1, 1)
		}, "prices_count_out_of_range", "prices"},
		{"unknown model", func(p *plan.Plan) { p.Prices[0].Model = "tiered" }, "price_model_unknown", "prices[0].model"},
		{"a model of usage", func(p *plan.Plan) {
			p.Prices[2].Price = rating.Price{Model: rating.Percentage, Percent: dec("3")}
		}, "price_model_needs_usage", "prices[2].model"},
		{"no unit price", func(p *plan.Plan) {
			p.Prices[2].UnitPrice = money.Decimal{}
		}, "price_parameter_missing", "prices[2].unitAmount"},
		{"negative price", func(p *plan.Plan) { p.Prices[0].Amount = -1 }, "amount_negative", "prices[0].amount"},
		{"price too large", func(p *plan.Plan) {
			p.Prices = flat(1, money.MaxMinor+1)
		}, "amount_too_large", "prices[0].amount"},
		{"prices too large together", func(p *plan.Plan) {
			p.Prices = flat(2, money.MaxMinor)
		}, "amount_too_large", "prices[1].amount"},
	} {
		p := valid()
		c.change(&p)

		err := p.Validate()

		if c.code == "" {
			require.NoError(t, err, c.name)
			continue
		}
		var f *fault.Error
		require.ErrorAs(t, err, &f, c.name)
		require.Equal(t, c.code, f.Code, c.name)
		require.Equal(t, c.param, f.Param, c.name)
		require.Equal(t, fault.Invalid, f.Kind, c.name)
	}
}

func flat(n int, amount money.Minor) []plan.Price {
	prices := make([]plan.Price, n)
	for i := range prices {
		prices[i] = plan.Flat("", "", amount)
	}
	return prices
}

func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

func TestCost_UnitsCountButForFlatPrices(t *testing.T) {
	t.Parallel()
	p := valid()
	for i, want := range []plan.Cost{
		{PriceID: "price_1", Description: "Team – Base", Quantity: "1", UnitPrice: "10.00", Amount: 1000},
		{PriceID: "price_2", Description: "Team", Quantity: "1", UnitPrice: "0.00", Amount: 0},
		{PriceID: "price_3", Description: "Team", Quantity: "7", UnitPrice: "2.5005", Amount: 1750},
	} {
		got, err := p.Cost(want.PriceID, p.Prices[i].Units(7))
		require.NoError(t, err)
		sum := money.Whole(0)
		for _, s := range got.Steps {
			sum = sum.Add(s.Amount)
		}
		rounded, err := sum.Round(p.Currency)
		require.NoError(t, err)
		require.Equal(t, want.Amount, rounded, "the steps say the same")
		got.Steps = nil
		require.Equal(t, want, got)
	}
	total, err := p.Total(7)
	require.NoError(t, err)
	require.Equal(t, money.Minor(2750), total)
	_, err = p.Total(1 << 40)
	require.ErrorContains(t, err, "amount_too_large")
	_, err = p.Cost("price_other", 1)
	require.ErrorContains(t, err, "price_missing")
}

func TestFree_WhateverTheQuantity(t *testing.T) {
	t.Parallel()
	p := valid()
	require.False(t, p.Free())
	p.Prices = p.Prices[1:2]
	require.True(t, p.Free())
}
