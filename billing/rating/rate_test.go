package rating_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/internal/anyprice"
	"perennial/billing/money"
	"perennial/billing/rating"
)

func anyAmounts() *rapid.Generator[[]money.Decimal] {
	return rapid.SliceOfN(anyprice.Decimal(0, 9999, 2), 0, 8)
}

// TestRate_StepsExplainAmount: every step is a quantity times a unit price, they sum to the exact amount, which is
// rounded once, and bounds hold.
func TestRate_StepsExplainAmount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyprice.Price().Draw(t, "price")
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
		p := anyprice.Price().Filter(func(p rating.Price) bool {
			return p.Model != rating.Volume && p.Model != rating.TieredFlat
		}).Draw(t, "price")
		few := anyprice.Decimal(0, 5000, 1).Draw(t, "units")
		less, err := p.Rate(few, "EUR")
		require.NoError(t, err)
		more, err := p.Rate(few.Add(anyprice.Decimal(0, 5000, 1).Draw(t, "more")), "EUR")
		require.NoError(t, err)
		require.LessOrEqual(t, less.Exact.Cmp(more.Exact), 0)
	})
}

// TestRate_TiersUnitByUnit prices every unit separately, the slow and obvious way.
func TestRate_TiersUnitByUnit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "tiers")
		price, bound := rating.Price{Model: rating.Graduated}, int64(0)
		var bounds []int64
		for i := range n {
			tier := rating.Tier{
				UnitPrice:  anyprice.Decimal(0, 999, 3).Draw(t, "unit price"),
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

// TestRateTransactions_OrderWithoutFreeOnes: only free parts depend on the order.
func TestRateTransactions_OrderWithoutFreeOnes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyprice.Price().Draw(t, "price")
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
		p := anyprice.Price().Draw(t, "price")
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
