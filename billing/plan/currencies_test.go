package plan_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
)

// abroad is valid, sold in dollars and in francs as well.
func abroad() plan.Plan {
	p := valid()
	for i, in := range []plan.Currencies{
		{"USD": {Amount: 1100}, "XAF": {Amount: 6500}},
		{"USD": {}, "XAF": {}},
		{"USD": {UnitPrice: dec("2.75")}, "XAF": {UnitPrice: dec("1640")}},
	} {
		p.Prices[i].Currencies = in
	}
	return p
}

// metering is abroad with a price of usage and a commitment in all of its currencies.
func metering() plan.Plan {
	p := abroad()
	p.Metered = &metered.Prices{
		Components: []metered.Component{{ID: "price_4", MetricName: "calls", Rates: []metered.Rate{
			{
				Where:      map[string]string{"region": "eu"},
				Price:      rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.02"), Included: dec("5"), Minimum: 100},
				Currencies: rating.Currencies{"USD": {UnitPrice: dec("0.025"), Minimum: 120}, "XAF": {UnitPrice: dec("13"), Minimum: 600}},
			},
			{
				Price:      rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.01")},
				Currencies: rating.Currencies{"USD": {UnitPrice: dec("0.012")}, "XAF": {UnitPrice: dec("6.5")}},
			},
		}}},
		Commitment: &metered.Commitment{
			ID: "price_5", Amount: 5000, OverageFactor: dec("0.8"),
			Currencies: map[money.Currency]money.Minor{"USD": 5500, "XAF": 30_000},
		},
	}
	return p
}

// Usage costs the same in a further currency as under a plan that was written in it.
func TestIn_WithMeteredPrices(t *testing.T) {
	t.Parallel()
	p := metering()
	require.NoError(t, p.Validate())
	require.Equal(t, []money.Currency{"EUR", "USD", "XAF"}, p.Currencies())

	in, err := p.In("XAF")

	require.NoError(t, err)
	rates := in.Metered.Components[0].Rates
	require.Equal(t, rating.Price{Model: rating.PerUnit, UnitPrice: dec("13"), Included: dec("5"), Minimum: 600}, rates[0].Price)
	require.Equal(t, map[string]string{"region": "eu"}, rates[0].Where)
	require.Equal(t, rating.Price{Model: rating.PerUnit, UnitPrice: dec("6.5")}, rates[1].Price)
	require.Nil(t, rates[1].Currencies)
	require.Equal(t, &metered.Commitment{ID: "price_5", Amount: 30_000, OverageFactor: dec("0.8")}, in.Metered.Commitment)
	require.Equal(t, metering(), p, "the plan itself was changed")
	own, err := p.In("EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(5000), own.Metered.Commitment.Amount)
	require.Equal(t, dec("0.02"), own.Metered.Components[0].Rates[0].Price.UnitPrice)
	require.Nil(t, own.Metered.Components[0].Rates[0].Currencies)
	require.False(t, p.Metered.SameCommitment(own.Metered), "amounts in further currencies are part of it")
	require.False(t, p.Metered.Same(own.Metered))
}

func TestValidate_MeteredCurrencies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*metered.Prices)
		code, param string
	}{
		"of some rates": {func(m *metered.Prices) {
			m.Components[0].Rates[1].Currencies = rating.Currencies{"USD": {UnitPrice: dec("1")}}
		}, "price_currency_missing", "meteredPrices[0].rates[1].currencies.XAF"},
		"not of the commitment": {func(m *metered.Prices) {
			delete(m.Commitment.Currencies, "USD")
		}, "price_currency_missing", "commitment.currencies.USD"},
		"of usage alone": {func(m *metered.Prices) {
			m.Components[0].Rates[0].Currencies["GBP"] = rating.Amounts{UnitPrice: dec("1"), Minimum: 1}
		}, "price_currency_missing", "prices[0].currencies.GBP"},
		"of the commitment alone": {func(m *metered.Prices) {
			m.Commitment.Currencies["usd"] = 1
		}, "currency_unknown", "meteredPrices"},
		"a minimum that is forgotten": {func(m *metered.Prices) {
			m.Components[0].Rates[0].Currencies["XAF"] = rating.Amounts{UnitPrice: dec("13")}
		}, "price_parameter_missing", "meteredPrices[0].rates[0].currencies.XAF.minimum"},
		"a commitment below zero": {func(m *metered.Prices) {
			m.Commitment.Currencies["USD"] = -1
		}, "metered_commitment_invalid", "commitment.currencies.USD.amount"},
	} {
		p := metering()
		c.change(p.Metered)
		err := fault.From(p.Validate())
		require.NotNil(t, err, name)
		require.Equal(t, []string{c.code, c.param}, []string{err.Code, err.Param}, name)
	}
}

func TestOffers_PlanWithoutPrices(t *testing.T) {
	t.Parallel()
	free := plan.Plan{Currency: "EUR"}
	require.True(t, free.Offers("EUR"))
	require.False(t, free.Offers("USD"))
}

func TestAmountAlone(t *testing.T) {
	t.Parallel()
	require.NoError(t, valid().AmountAlone())
	require.ErrorContains(t, abroad().AmountAlone(), "amount_alone")
}

func TestIn_IsThePlanWrittenInThatCurrency(t *testing.T) {
	t.Parallel()
	p := abroad()
	require.NoError(t, p.Validate())
	require.Equal(t, []money.Currency{"EUR", "USD", "XAF"}, p.Currencies())
	written := valid()
	written.Currency = "USD"
	written.Prices[0].Amount, written.Prices[2].UnitPrice = 1100, dec("2.75")

	in, err := p.In("USD")

	require.NoError(t, err)
	require.Equal(t, written, in)
	again, err := in.In("USD")
	require.NoError(t, err)
	require.Equal(t, in, again)
	own, err := p.In("EUR")
	require.NoError(t, err)
	require.Equal(t, valid(), own, "who is sold it in its own currency sees no other")
	require.Equal(t, abroad(), p, "the plan itself was changed")
	_, err = p.In("GBP")
	require.EqualError(t, err,
		`currency_not_offered: The plan is not sold in "GBP". Send one of the currencies that it is sold in: `+
			`EUR, USD, XAF. (currency)`)
	require.Equal(t, p, p.InIfOffered("GBP"))
	require.Equal(t, written, p.InIfOffered("USD"))
}

func TestValidate_Currencies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*plan.Plan)
		code, param string
	}{
		"of some prices": {func(p *plan.Plan) {
			p.Prices[1].Currencies = plan.Currencies{"USD": {}}
		}, "price_currency_missing", "prices[1].currencies.XAF"},
		"of the last one": {func(p *plan.Plan) {
			p.Prices[2].Currencies["GBP"] = rating.Amounts{UnitPrice: dec("2")}
		}, "price_currency_missing", "prices[0].currencies.GBP"},
		"unknown": {func(p *plan.Plan) {
			p.Prices[2].Currencies["usd"] = rating.Amounts{UnitPrice: dec("2")}
		}, "currency_unknown", "prices[2].currencies.usd"},
		"its own": {func(p *plan.Plan) {
			p.Prices[0].Currencies["EUR"] = rating.Amounts{Amount: 1000}
		}, "currency_repeated", "prices[0].currencies.EUR"},
		"no amount": {func(p *plan.Plan) {
			p.Prices[0].Currencies["XAF"] = rating.Amounts{}
		}, "price_parameter_missing", "prices[0].currencies.XAF.amount"},
		"too large together": {func(p *plan.Plan) {
			p.Prices[0].Currencies["XAF"] = rating.Amounts{Amount: money.MaxMinor}
		}, "amount_too_large", "prices[2].currencies.XAF.amount"},
		"as many as there may be, which are unknown": {func(p *plan.Plan) {
			for i := range plan.MaxCurrencies - 2 {
				p.Prices[0].Currencies[money.Currency(fmt.Sprintf("X%02d", i))] = rating.Amounts{Amount: 1}
			}
		}, "currency_unknown", "prices[0].currencies.X00"},
		"too many": {func(p *plan.Plan) {
			for i := range plan.MaxCurrencies - 1 { // in addition to the two that it has
				p.Prices[0].Currencies[money.Currency(fmt.Sprintf("X%02d", i))] = rating.Amounts{Amount: 1}
			}
		}, "currencies_count_out_of_range", "prices"},
	} {
		p := abroad()
		c.change(&p)
		err := fault.From(p.Validate())
		require.NotNil(t, err, name)
		require.Equal(t, []string{c.code, c.param}, []string{err.Code, err.Param}, name)
	}
}

func TestNext_WithOtherCurrencies(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	p := abroad()
	p.Version = 1
	next, err := p.Next(plan.Terms{Prices: valid().Prices, TrialDays: p.TrialDays}, at)
	require.NoError(t, err, "to be sold in fewer currencies is another version")
	require.Equal(t, []money.Currency{"EUR"}, next.Currencies())
	next, err = next.Next(plan.Terms{Prices: abroad().Prices, TrialDays: p.TrialDays}, at)
	require.NoError(t, err)
	_, err = next.Next(plan.Terms{Prices: abroad().Prices, TrialDays: p.TrialDays}, at)
	require.ErrorContains(t, err, "plan_version_unchanged")
}

// Any quantity of any price costs the same as under a plan that was written in the currency, and a plan is free in all
// currencies or in none.
func TestIn_CostsWhatAPlanOfThatCurrencyCosts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p, written := valid(), valid()
		p.Prices, written.Prices, written.Currency = nil, nil, "XAF"
		for i := range rapid.IntRange(1, 4).Draw(r, "prices") {
			own, amounts := somePrice(r), rating.Amounts{}
			id := fmt.Sprintf("price_%d", i)
			other := own
			switch own.Model {
			case rating.Flat:
				if own.Amount > 0 {
					other.Amount = money.Minor(rapid.IntRange(1, 1_000_000).Draw(r, "amount"))
				}
				amounts.Amount = other.Amount
			case rating.PerUnit:
				other.UnitPrice = money.Units(money.Minor(rapid.IntRange(1, 99_999).Draw(r, "unit price")), "EUR")
				amounts.UnitPrice = other.UnitPrice
			default:
				other.Tiers = slices.Clone(own.Tiers)
				for t := range other.Tiers {
					other.Tiers[t].UnitPrice = money.Whole(int64(rapid.IntRange(1, 9_999).Draw(r, "unit price")))
					amounts.Tiers = append(amounts.Tiers, rating.TierAmounts{UnitPrice: other.Tiers[t].UnitPrice})
				}
				other.Minimum = money.Minor(rapid.IntRange(1, 99).Draw(r, "minimum"))
				amounts.Minimum = other.Minimum
			}
			p.Prices = append(p.Prices, plan.Price{ID: id, Price: own, Currencies: plan.Currencies{"XAF": amounts}})
			written.Prices = append(written.Prices, plan.Price{ID: id, Price: other})
		}
		require.NoError(r, p.Validate())
		require.NoError(r, written.Validate())

		in, err := p.In("XAF")

		require.NoError(r, err)
		require.Equal(r, written, in)
		require.Equal(r, p.Free(), in.Free())
		units := int64(rapid.IntRange(1, 1000).Draw(r, "units"))
		for _, price := range p.Prices {
			want, err := written.Cost(price.ID, units)
			require.NoError(r, err)
			got, err := in.Cost(price.ID, units)
			require.NoError(r, err)
			require.Equal(r, want, got)
		}
	})
}

func somePrice(r *rapid.T) rating.Price {
	switch rapid.IntRange(0, 2).Draw(r, "model") {
	case 0:
		return rating.Price{Model: rating.Flat, Amount: money.Minor(rapid.IntRange(0, 99).Draw(r, "own amount"))}
	case 1:
		return rating.Price{Model: rating.PerUnit, UnitPrice: dec("2.5"), Included: dec("3")}
	default:
		return rating.Price{Model: rating.Volume, Minimum: 5, Tiers: []rating.Tier{
			{UpTo: money.Whole(10), UnitPrice: dec("3")}, {UnitPrice: dec("2")},
		}}
	}
}
