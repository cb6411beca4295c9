package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
)

func TestTieredFlat_FirstTier(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.TieredFlat, Tiers: []rating.Tier{
		{UpTo: dec("3"), FlatAmount: 2000}, {FlatAmount: 5000},
	}},
		example{"3", 2000, []string{"tier 1: fixed amount 20"}},
		example{"4", 5000, []string{"tier 2: fixed amount 50"}},
	)
}

// A price without tiers is not valid, and costs nothing.
func TestTieredFlat_WithoutTiers(t *testing.T) {
	t.Parallel()
	got, err := rating.Price{Model: rating.TieredFlat}.Rate(dec("5"), "EUR")
	require.NoError(t, err)
	require.Zero(t, got.Amount)
}

func TestPercentage_WithoutFeeHasNoStepForIt(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.Percentage, Percent: dec("1.5")},
		example{"100", 150, []string{"1.5 % of 100 = 1.5"}})
}

// 100 use the free sum up, so that a transaction of nothing after it pays its fee.
func TestPercentage_NothingAfterTheFreeSum(t *testing.T) {
	t.Parallel()
	p := rating.Price{Model: rating.Percentage, Percent: dec("1"), Transactions: rating.Transactions{
		Fee: dec("0.30"), FreeAmount: dec("100"),
	}}
	got, err := p.RateTransactions([]money.Decimal{dec("100"), dec("0")}, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(30), got.Amount)
}

// A quantity that costs exactly the bound is neither raised nor lowered to it.
func TestBounds_ExactlyReached(t *testing.T) {
	t.Parallel()
	p := rating.Price{Model: rating.PerUnit, UnitPrice: dec("2"), Minimum: 1000, Maximum: 1000}
	got, err := p.Rate(dec("5"), "EUR")
	require.NoError(t, err)
	require.NoError(t, p.Validate(), "a maximum may be the minimum")
	require.Equal(t, money.Minor(1000), got.Amount)
	require.Len(t, got.Steps, 1)
}

func TestUnitPrice_OnlyOfUnits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		price rating.Price
		want  string
	}{
		"units":        {rating.Price{Model: rating.PerUnit, UnitPrice: dec("2")}, "2"},
		"fixed amount": {rating.Price{Model: rating.Flat, Amount: 500}, ""},
		"two tiers": {
			rating.Price{
				Model: rating.Graduated, Tiers: []rating.Tier{{UpTo: dec("3"), UnitPrice: dec("2")}, {UnitPrice: dec("1")}},
			}, "",
		},
		"nothing": {rating.Price{Model: rating.TieredFlat}, ""},
	} {
		rated, err := c.price.Rate(dec("5"), "EUR")
		require.NoError(t, err, name)
		got, simple := rated.UnitPrice()
		require.Equal(t, c.want != "", simple, name)
		require.Equal(t, c.want, got.String(), name)
	}
}
