package metered_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// Five seats cost the same with and without a change to an equal price within the period.
func TestOwed_LevelsCostTheirShareOfADividedPeriod(t *testing.T) {
	t.Parallel()
	price, err := money.ParseDecimal("3.33")
	require.NoError(t, err)
	seats := metered.Component{ID: "price_1", Rates: []metered.Rate{{Price: rating.Price{
		Model: rating.PerUnit, UnitPrice: price,
	}}}}
	owed := func(bounds ...int64) (sum money.Minor) {
		for i, to := range bounds[1:] {
			span := proration.Span{From: bounds[i], To: to, Length: 31}
			charges, err := metered.Owed([]metered.Segment{{
				Start: time.Unix(span.From, 0), Share: metered.Share{Span: span},
				Usage: []metered.Used{{
					Component: seats, Level: true,
					Quantities: usage.Totals{{Group: "0 ", Value: money.Whole(5), Records: 1}},
				}},
			}}, "EUR")
			require.NoError(t, err)
			require.Len(t, charges, 1)
			sum += charges[0].Amount
		}
		return sum
	}
	require.Equal(t, money.Minor(1665), owed(0, 31))
	require.Equal(t, money.Minor(1665), owed(0, 10, 31))
	require.Equal(t, money.Minor(1665), owed(0, 7, 8, 31))
}

// A correction returns at most the kept amount of a price: neither amounts that were not due, nor returned ones.
func TestAfforded_GivesBackNoMoreThanIsKept(t *testing.T) {
	t.Parallel()
	charge := func(price string, amount money.Minor) metered.Charge {
		return metered.Charge{Key: metered.Key{PriceID: price}, Quantity: money.Whole(int64(amount)), Amount: amount}
	}
	due := []metered.Charge{charge("a", -30), charge("a", -30), charge("b", 10), charge("b", -15), charge("c", -5)}
	var amounts []money.Minor
	var limited []bool
	for _, c := range metered.Afforded(due, map[string]money.Minor{"a": 40, "b": 2}) {
		amounts, limited = append(amounts, c.Amount), append(limited, c.Limited)
	}
	require.Equal(t, []money.Minor{-30, -10, 10, -12, 0}, amounts)
	require.Equal(t, []bool{false, true, false, true, true}, limited)
}
