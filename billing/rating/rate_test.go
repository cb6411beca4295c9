package rating_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/rating"
)

// anyDecimal draws a number of 0 to most units of the last decimal place.
func anyDecimal(least, most int64, decimals int) *rapid.Generator[money.Decimal] {
	return rapid.Custom(func(t *rapid.T) money.Decimal {
		unit := dec("1")
		for range decimals {
			unit = unit.Mul(dec("0.1"))
		}
		return dec(unit.Mul(money.Whole(rapid.Int64Range(least, most).Draw(t, "number"))).String())
	})
}

func anyTiers(t *rapid.T, model rating.Model) []rating.Tier {
	n := rapid.IntRange(1, 6).Draw(t, "tiers")
	tiers, bound := make([]rating.Tier, n), money.Whole(0)
	for i := range tiers {
		if i < n-1 {
			bound = bound.Add(anyDecimal(1, 400, 1).Draw(t, "tier size"))
			tiers[i].UpTo = dec(bound.String())
		}
		if model == rating.TieredFlat || rapid.Bool().Draw(t, "flat") {
			tiers[i].FlatAmount = money.Minor(rapid.Int64Range(0, 5000).Draw(t, "flat amount"))
		}
		switch {
		case model == rating.TieredFlat:
		case model == rating.GraduatedPercentage:
			tiers[i].Percent = anyDecimal(0, 10_000, 2).Draw(t, "percent")
		case rapid.Bool().Draw(t, "packages"):
			tiers[i].PackageSize = anyDecimal(1, 100, 1).Draw(t, "package size")
			tiers[i].PackagePrice = anyDecimal(0, 9999, 4).Draw(t, "package price")
		default:
			tiers[i].UnitPrice = anyDecimal(0, 9999, 4).Draw(t, "unit price")
		}
	}
	return tiers
}

// anyPrice draws a valid price of any model.
func anyPrice() *rapid.Generator[rating.Price] {
	return rapid.Custom(func(t *rapid.T) rating.Price {
		p := rating.Price{Model: rapid.SampledFrom(rating.Models()).Draw(t, "model")}
		if p.Model != rating.Flat && rapid.Bool().Draw(t, "bounded") {
			p.Minimum = money.Minor(rapid.Int64Range(0, 10_000).Draw(t, "minimum"))
			p.Maximum = p.Minimum + money.Minor(rapid.Int64Range(1, 10_000).Draw(t, "maximum"))
		}
		switch p.Model {
		case rating.Flat:
			p.Amount = money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)).Draw(t, "amount"))
			return p
		case rating.Percentage:
			p.Percent = anyDecimal(0, 100_000, 3).Draw(t, "percent")
			p.Transactions = rating.Transactions{
				Fee:        anyDecimal(0, 9999, 3).Draw(t, "fee"),
				Minimum:    anyDecimal(0, 999, 3).Draw(t, "least"),
				Maximum:    anyDecimal(1000, 99_999, 3).Draw(t, "most"),
				Free:       rapid.IntRange(0, 5).Draw(t, "free"),
				FreeAmount: anyDecimal(0, 999, 1).Draw(t, "free amount"),
			}
			return p
		case rating.PerUnit:
			p.UnitPrice = anyDecimal(0, 9999, 4).Draw(t, "unit price")
		case rating.Package:
			p.PackageSize = anyDecimal(1, 100, 1).Draw(t, "package size")
			p.PackagePrice = anyDecimal(0, 9999, 4).Draw(t, "package price")
		default:
			p.Tiers = anyTiers(t, p.Model)
		}
		if p.Model != rating.GraduatedPercentage && rapid.Bool().Draw(t, "includes units") {
			p.Included = anyDecimal(0, 500, 1).Draw(t, "included")
		}
		return p
	})
}

func anyAmounts() *rapid.Generator[[]money.Decimal] {
	return rapid.SliceOfN(anyDecimal(0, 9999, 2), 0, 8)
}

// TestRate_StepsExplainAmount: every step is a quantity times a unit price, they sum to the exact amount, which is
// rounded once, and bounds hold.
func TestRate_StepsExplainAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPrice().Draw(t, "price")
		require.NoError(t, p.Validate())
		c := rapid.SampledFrom([]money.Currency{"EUR", "XAF", "BHD"}).Draw(t, "currency")
		got, err := p.RateTransactions(anyAmounts().Draw(t, "amounts"), c)
		require.NoError(t, err)

		sum := money.Whole(0)
		for _, s := range got.Steps {
			require.Zero(t, s.Quantity.Mul(s.UnitPrice).Cmp(s.Amount), s)
			require.GreaterOrEqual(t, s.Tier, 0)
			require.LessOrEqual(t, s.Tier, len(p.Tiers))
			require.NotContains(t, s.String(), "  ")
			sum = sum.Add(s.Amount)
		}
		require.Zero(t, sum.Cmp(got.Exact))
		rounded, err := got.Exact.Round(c)
		require.NoError(t, err)
		require.Equal(t, rounded, got.Amount)
		require.GreaterOrEqual(t, got.Amount, p.Minimum)
		if p.Maximum > 0 {
			require.LessOrEqual(t, got.Amount, p.Maximum)
		}
		require.LessOrEqual(t, len(got.Steps), 2*len(p.Tiers)+6)
		if p.Free() {
			require.Zero(t, got.Amount)
		}
	})
}

// TestRate_MoreUnitsNeverCostLess holds for every model but volume and tiered_flat, whose next tier may be cheaper.
func TestRate_MoreUnitsNeverCostLess(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPrice().Filter(func(p rating.Price) bool {
			return p.Model != rating.Volume && p.Model != rating.TieredFlat
		}).Draw(t, "price")
		few := anyDecimal(0, 5000, 1).Draw(t, "units")
		less, err := p.Rate(few, "EUR")
		require.NoError(t, err)
		more, err := p.Rate(few.Add(anyDecimal(0, 5000, 1).Draw(t, "more")), "EUR")
		require.NoError(t, err)
		require.LessOrEqual(t, less.Exact.Cmp(more.Exact), 0)
	})
}

// TestRate_TiersUnitByUnit prices every unit by itself, the slow and obvious way.
func TestRate_TiersUnitByUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "tiers")
		price, bound := rating.Price{Model: rating.Graduated}, int64(0)
		var bounds []int64
		for i := range n {
			tier := rating.Tier{
				UnitPrice:  anyDecimal(0, 999, 3).Draw(t, "unit price"),
				FlatAmount: money.Minor(rapid.Int64Range(0, 99).Draw(t, "flat")),
			}
			if i < n-1 {
				bound += rapid.Int64Range(1, 10).Draw(t, "size")
				tier.UpTo = money.Whole(bound)
			}
			price.Tiers, bounds = append(price.Tiers, tier), append(bounds, bound)
		}
		units := rapid.Int64Range(0, 40).Draw(t, "units")

		graduated := money.Units(price.Tiers[0].FlatAmount, "EUR")
		at := 0
		for unit := int64(1); unit <= units; unit++ {
			for at < n-1 && unit > bounds[at] {
				at++
				graduated = graduated.Add(money.Units(price.Tiers[at].FlatAmount, "EUR"))
			}
			graduated = graduated.Add(price.Tiers[at].UnitPrice)
		}
		got, err := price.Rate(money.Whole(units), "EUR")
		require.NoError(t, err)
		require.Zero(t, graduated.Cmp(got.Exact), "%s, not %s", got.Exact, graduated)

		volume := money.Units(price.Tiers[at].FlatAmount, "EUR")
		for range units {
			volume = volume.Add(price.Tiers[at].UnitPrice)
		}
		price.Model = rating.Volume
		got, err = price.Rate(money.Whole(units), "EUR")
		require.NoError(t, err)
		require.Zero(t, volume.Cmp(got.Exact))
	})
}

// TestRateTransactions_OrderWithoutFreeOnes: only what is free depends on the order.
func TestRateTransactions_OrderWithoutFreeOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPrice().Draw(t, "price")
		p.Transactions.Free, p.Transactions.FreeAmount = 0, money.Decimal{}
		amounts := anyAmounts().Draw(t, "amounts")
		got, err := p.RateTransactions(amounts, "EUR")
		require.NoError(t, err)
		other, err := p.RateTransactions(rapid.Permutation(amounts).Draw(t, "other order"), "EUR")
		require.NoError(t, err)
		require.Zero(t, got.Exact.Cmp(other.Exact))
	})
}

func TestPrice_JSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPrice().Draw(t, "price")
		stored, err := json.Marshal(p)
		require.NoError(t, err)
		var got rating.Price
		require.NoError(t, json.Unmarshal(stored, &got))
		require.Equal(t, fmt.Sprint(p), fmt.Sprint(got))
		require.Equal(t, p, got)
	})
}

// TestRate_TooLarge: no quantity makes an amount that an invoice cannot hold.
func TestRate_TooLarge(t *testing.T) {
	t.Parallel()
	p := rating.Price{Model: rating.PerUnit, UnitPrice: dec("999999999999.999999999999")}
	_, err := p.Rate(dec("999999999999.999999999999"), "EUR")
	require.ErrorContains(t, err, "amount_too_large")
	got, err := p.Rate(dec("0.000000000001"), "EUR")
	require.NoError(t, err)
	require.EqualValues(t, 100, got.Amount)
}
