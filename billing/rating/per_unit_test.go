package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/rating"
)

func TestPerUnit(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.0035")},
		example{"0", 0, nil},
		example{"1", 0, []string{"1 units × 0.0035 = 0.0035"}},
		example{"10", 4, []string{"10 units × 0.0035 = 0.035"}}, // half a cent is rounded away from zero
		example{"2.5", 1, []string{"2.5 units × 0.0035 = 0.00875"}},
		example{"-3", 0, nil},
	)
}

func TestPerUnit_Included(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.PerUnit, UnitPrice: dec("10"), Included: dec("5")},
		example{"0", 0, nil},
		example{"3", 0, []string{"3 included"}},
		example{"5", 0, []string{"5 included"}},
		example{"8", 3000, []string{"5 included", "3 units × 10 = 30"}},
	)
}

func TestPerUnit_MinimumMaximum(t *testing.T) {
	t.Parallel()
	requireExamples(t, rating.Price{Model: rating.PerUnit, UnitPrice: dec("10"), Minimum: 2500, Maximum: 10_000},
		example{"0", 2500, []string{"raised by 25 to the minimum"}},
		example{"2", 2500, []string{"2 units × 10 = 20", "raised by 5 to the minimum"}},
		example{"3", 3000, []string{"3 units × 10 = 30"}},
		example{"12", 10_000, []string{"12 units × 10 = 120", "lowered by 20 to the maximum"}},
	)
}

func TestPerUnit_CurrencyWithoutDecimals(t *testing.T) {
	t.Parallel()
	got, err := rating.Price{Model: rating.PerUnit, UnitPrice: dec("12.5"), Minimum: 30}.Rate(dec("3"), "XAF")
	require.NoError(t, err)
	require.EqualValues(t, 38, got.Amount)
	require.Equal(t, "37.5", got.Exact.String())
}

func TestUnitPrice(t *testing.T) {
	t.Parallel()
	price := rating.Price{Model: rating.PerUnit, UnitPrice: dec("2.50"), Included: dec("1")}
	got, err := price.Rate(dec("3"), "EUR")
	require.NoError(t, err)
	_, simple := got.UnitPrice()
	require.False(t, simple, "one unit was included, so no single price holds for all three")

	price.Included = rating.Price{}.Included
	got, err = price.Rate(dec("3"), "EUR")
	require.NoError(t, err)
	unit, simple := got.UnitPrice()
	require.True(t, simple)
	require.Equal(t, "2.5", unit.String())
}
