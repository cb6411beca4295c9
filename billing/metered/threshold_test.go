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

func TestCrossed(t *testing.T) {
	t.Parallel()
	all := []metered.Threshold{
		{Percent: money.Whole(80)}, {Percent: money.Whole(100)}, {Amount: 700},
		{MetricName: "calls", Quantity: money.Whole(10)},
	}
	keys := func(crossed map[string]bool, spent, committed money.Minor, calls int64) (keys []string) {
		by := metered.Standing{Spent: spent, Committed: committed, Quantities: map[string]money.Decimal{}}
		if calls > 0 {
			by.Quantities["calls"] = money.Whole(calls)
		}
		for _, threshold := range metered.Crossed(all, crossed, by) {
			keys = append(keys, threshold.Key())
		}
		return keys
	}
	require.Empty(t, keys(nil, 399, 500, 9))
	require.Equal(t, []string{"percent 80", "quantity calls 10"}, keys(nil, 400, 500, 10))
	require.Equal(t, []string{"percent 100", "amount 700"}, keys(map[string]bool{"percent 80": true}, 700, 500, 0))
	require.Equal(t, []string{"amount 700"}, keys(nil, 700, 0, 0), "a share of nothing is never reached")
	require.Empty(t, keys(map[string]bool{
		"percent 80": true, "percent 100": true, "amount 700": true, "quantity calls 10": true,
	}, 1<<40, 500, 99))
	require.Empty(t, metered.Crossed([]metered.Threshold{{}}, nil, metered.Standing{}), "one of nothing is never reached")
}

// The state of a period has all its segments: sums add up, levels do not, and minimums do not count.
func TestStand(t *testing.T) {
	t.Parallel()
	segment := func(from, to, calls, seats int64) metered.Segment {
		price := func(metric, id string, level bool, n int64) metered.Used {
			return metered.Used{
				Component: metered.Component{ID: id, MetricName: metric, Rates: []metered.Rate{{Price: rating.Price{
					Model: rating.PerUnit, UnitPrice: money.Whole(1), Minimum: 100_000,
				}}}},
				Level: level, Quantities: usage.Totals{
					{Group: "0 ", Value: money.Whole(n)}, {Group: "-1 ", Value: money.Whole(1), Records: 1},
				},
			}
		}
		s := metered.Segment{Usage: []metered.Used{
			price("calls", "a", false, calls), price("calls", "b", false, calls), price("seats", "c", true, seats),
		}, Commitment: &metered.Commitment{ID: "k", Amount: 1_000_000}}
		s.Share.From, s.Share.To, s.Share.Length = from, to, 30
		return s
	}

	standing, err := metered.Stand([]metered.Segment{segment(0, 10, 3, 7), segment(10, 30, 5, 4)}, "EUR")

	require.NoError(t, err)
	require.Equal(t, money.Minor(1_000_000), standing.Committed)
	// Calls in two segments, and seats for their share: 2×3 + 7/3, and 2×5 + 4×2/3 rounded to cents.
	require.Equal(t, money.Minor(600+233+1000+267), standing.Spent)
	require.Equal(t, map[string]string{"calls": "10", "seats": "8"}, map[string]string{
		"calls": standing.Quantities["calls"].String(), "seats": standing.Quantities["seats"].String(),
	})
}

func TestCheckThresholds(t *testing.T) {
	t.Parallel()
	prices := metered.Prices{Components: []metered.Component{{MetricName: "calls"}}}
	committed := prices
	committed.Commitment = &metered.Commitment{Amount: 100}
	check := func(p metered.Prices, all ...metered.Threshold) [2]string {
		if err := p.CheckThresholds(all); err != nil {
			return [2]string{fault.From(err).Code, fault.From(err).Param}
		}
		return [2]string{}
	}
	ten := money.Whole(10)
	require.Equal(t, [2]string{}, check(committed,
		metered.Threshold{Amount: 5}, metered.Threshold{Percent: ten}, metered.Threshold{MetricName: "calls", Quantity: ten}))
	for param, all := range map[string][]metered.Threshold{
		"usageThresholds[0]":            {{}},
		"usageThresholds[1]":            {{Amount: 5}, {Amount: 5, Invoice: true}},
		"usageThresholds[0].amount":     {{Amount: -1}},
		"usageThresholds[0].percent":    {{Percent: ten}},
		"usageThresholds[0].quantity":   {{MetricName: "calls"}},
		"usageThresholds[0].metricName": {{MetricName: "seats", Quantity: ten}},
	} {
		require.Equal(t, [2]string{"usage_threshold_invalid", param}, check(prices, all...))
	}
	require.Equal(t, "usage_threshold_invalid", check(committed, metered.Threshold{Amount: 5, Percent: ten})[0])
	require.Equal(t, "usage_threshold_invalid", check(committed, metered.Threshold{Percent: money.Whole(10_001)})[0])
	require.Equal(t, "usage_threshold_invalid", check(committed, metered.Threshold{Percent: money.Whole(0)})[0])
	require.Equal(t, [2]string{}, check(committed, metered.Threshold{Percent: money.Whole(10_000)}))
	most := make([]metered.Threshold, 20)
	for i := range most {
		most[i].Amount = money.Minor(i + 1)
	}
	require.Equal(t, [2]string{}, check(prices, most...))
	require.Equal(t, "usage_thresholds_out_of_range", check(prices, make([]metered.Threshold, 21)...)[0])
}

// Prices of one metric count the same records, and one price may count fewer: the metric's quantity is the largest, in
// any order of the prices. Without usage it is 0.
func TestStand_PricesOfOneMetric(t *testing.T) {
	t.Parallel()
	used := func(metric string, n int64) metered.Used {
		return metered.Used{
			Component:  metered.Component{MetricName: metric, Rates: []metered.Rate{{Price: perUnit}}},
			Quantities: usage.Totals{{Group: "0 ", Value: money.Whole(n)}},
		}
	}
	standing, err := metered.Stand([]metered.Segment{{Usage: []metered.Used{
		used("rising", 3), used("rising", 5), used("falling", 5), used("falling", 3), used("none", 0),
	}}}, eur)
	require.NoError(t, err)
	got := map[string]string{}
	for metric, quantity := range standing.Quantities {
		got[metric] = quantity.String()
	}
	require.Equal(t, map[string]string{"rising": "5", "falling": "5", "none": "0"}, got)
}

func TestSameThresholds(t *testing.T) {
	t.Parallel()
	five, six := metered.Threshold{Amount: 5}, metered.Threshold{Amount: 6}
	billed := five
	billed.Invoice = true
	list := func(all ...metered.Threshold) []metered.Threshold { return all }
	for name, c := range map[string]struct {
		all, others []metered.Threshold
		same        bool
	}{
		"none":                {nil, list(), true},
		"equal":               {list(five, six), list(five, six), true},
		"in another order":    {list(five, six), list(six, five), false},
		"one more":            {list(five), list(five, six), false},
		"one bills":           {list(five), list(billed), false},
		"another amount":      {list(five), list(six), false},
		"both bill":           {list(billed), list(billed), true},
		"another, which does": {list(six), list(billed), false},
	} {
		require.Equal(t, c.same, metered.SameThresholds(c.all, c.others), name)
		a, b := &metered.Prices{Thresholds: c.all}, &metered.Prices{Thresholds: c.others}
		require.Equal(t, c.same, b.SameThresholds(a), name)
	}
}

// The minimum of a period is not spent before its end, nor for a price that depends on each record.
func TestStand_WithoutTheMinimumOfAPriceByTransaction(t *testing.T) {
	t.Parallel()
	price := rating.Price{
		Model: rating.Percentage, Percent: dec("1"), Transactions: rating.Transactions{Fee: dec("0.10")}, Minimum: 50_000,
	}
	tally := price.Tally()
	tally.Add(money.Whole(1))
	lot := usage.Group("0 ")
	segment := metered.Segment{Usage: []metered.Used{{
		Component:  metered.Component{ID: "price_1", MetricName: "payments", Rates: []metered.Rate{{Price: price}}},
		Quantities: usage.Totals{{Group: lot, Value: money.Whole(1)}}, Tallies: map[usage.Group]*rating.Tally{lot: tally},
	}}}

	standing, err := metered.Stand([]metered.Segment{segment}, "EUR")

	require.NoError(t, err)
	require.Equal(t, money.Minor(11), standing.Spent)
	whole, err := metered.Owed([]metered.Segment{segment}, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(50_000), whole[0].Amount, "what was counted was changed")
}
