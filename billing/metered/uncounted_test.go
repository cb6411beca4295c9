package metered_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/usage"
)

// A price that cannot be counted does not stop the others: none of it is owed, and no billed charge of it is returned.
// The same holds for a minimum of all prices together.
func TestSegments_WithAPriceThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	counted, not := calls(metered.Rate{Price: perUnit}), calls(metered.Rate{By: []string{"region"}, Price: perUnit})
	counted.ID, counted.MetricVersionID = "price_1", "met_1"
	not.ID, not.MetricVersionID = "price_2", "met_1"
	spans := []metered.Span{{Start: start, End: start.AddDate(0, 1, 0), Prices: &metered.Prices{
		Components: []metered.Component{counted, not}, Commitment: &metered.Commitment{ID: "price_3", Amount: 1 << 40},
	}}}
	questions, err := metered.Questions(spans, 0)
	require.NoError(t, err)
	require.Len(t, questions, 2)
	why := fault.New(fault.Conflict, "metered_lots_too_many", "too many")
	require.True(t, metered.Uncountable(why))
	require.False(t, metered.Uncountable(nil))
	require.False(t, metered.Uncountable(errors.New("the database is away")))
	questions[1].LeaveOut(why)
	answers := [][]usage.Totals{{{{Group: usage.Group("0 "), Value: money.Whole(10)}}}, nil}

	segments := metered.Segments(spans, 0, questions, answers)

	require.Equal(t, error(why), segments[0].Uncounted())
	owed, err := metered.Owed(segments, "EUR")
	require.NoError(t, err)
	require.Len(t, owed, 1)
	require.Equal(t, "price_1", owed[0].PriceID)
	charge := func(price string) metered.Charge {
		return metered.Charge{Key: metered.Key{PriceID: price, Segment: owed[0].Segment}, Amount: 700}
	}
	billed := segments[0].Billable([]metered.Charge{charge("price_1"), charge("price_2"), charge("price_3")})
	require.Equal(t, []metered.Charge{charge("price_1")}, billed)
}
