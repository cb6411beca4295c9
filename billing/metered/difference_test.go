package metered_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
)

// Earlier bills count for the steps of a charge: 7 of earlier periods and 30 of an earlier invoice.
func TestDue_Before(t *testing.T) {
	t.Parallel()
	key := metered.Key{PriceID: "price_1"}
	due := metered.Due(
		[]metered.Charge{{Key: key, Quantity: money.Whole(10), Amount: 100, Before: 7}},
		[]metered.Charge{{Key: key, Quantity: money.Whole(4), Amount: 30}},
	)
	require.Len(t, due, 1)
	require.Equal(t, [3]any{"6", money.Minor(70), money.Minor(37)},
		[3]any{due[0].Quantity.String(), due[0].Amount, due[0].Before})
}

// A correction of exactly the kept amount is not limited, and a charge of 0 is unchanged.
func TestAfforded_JustWhatIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, kept, want money.Minor
		limited            bool
	}{
		{-40, 41, -40, false},
		{-40, 40, -40, false},
		{-40, 39, -39, true},
		{-40, 0, 0, true},
		{-40, -5, 0, true},
		{0, 0, 0, false},
		{0, 40, 0, false},
	} {
		got := metered.Afforded([]metered.Charge{{Key: metered.Key{PriceID: "a"}, Amount: c.amount}},
			map[string]money.Minor{"a": c.kept})
		require.Equal(t, c.want, got[0].Amount, "%d of %d", c.amount, c.kept)
		require.Equal(t, c.limited, got[0].Limited, "%d of %d", c.amount, c.kept)
	}
}

func TestLot_Rated(t *testing.T) {
	t.Parallel()
	require.True(t, metered.Lot{}.Rated())
	require.True(t, metered.Lot{Rate: 1}.Rated())
	require.False(t, metered.Lot{Rate: -1}.Rated())
}

func TestPrices_WithAnAddOn(t *testing.T) {
	t.Parallel()
	own, addOn := component(perUnit), component(graduated)
	addOn.ID = "price_2"
	least := &metered.Minimum{ID: "price_3", Amount: 1}
	plan, other := pricesOf(own), pricesOf(addOn)
	plan.Minimum = least
	var none *metered.Prices
	require.Nil(t, none.With(nil))
	require.Equal(t, plan, plan.With(nil))
	require.Equal(t, other, none.With(other))
	both := plan.With(other)
	require.Equal(t, &metered.Prices{Components: []metered.Component{own, addOn}, Minimum: least}, both)
	require.Len(t, plan.Components, 1, "the prices of the plan were changed")

	for id, want := range map[string]metered.Component{"price_1": own, "price_2": addOn, "price_4": {}} {
		got, ok := both.Component(id)
		require.Equal(t, want, got, id)
		require.Equal(t, want.ID != "", ok, id)
	}
	_, ok := none.Component("price_1")
	require.False(t, ok)
}
