package proration_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
)

// april has 30 days and no clock change in UTC.
var april = period.Period{
	Start: time.Date(2026, time.April, 1, 0, 0, 0, 0, time.UTC),
	End:   time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC),
}

func TestFlatChange(t *testing.T) {
	t.Parallel()
	middle := april.Start.AddDate(0, 0, 15)
	for _, c := range []struct {
		name string
		in   proration.Input
		want proration.Result
	}{
		{
			"upgrade half-way, paid",
			proration.Input{Period: april, At: middle, OldPrice: 1000, NewPrice: 3000, PaidForOld: 1000},
			proration.Result{Credit: 500, Unused: 500, Used: 500, Charge: 1500},
		},
		{
			"downgrade half-way, paid",
			proration.Input{Period: april, At: middle, OldPrice: 3000, NewPrice: 1000, PaidForOld: 3000},
			proration.Result{Credit: 1500, Unused: 1500, Used: 1500, Charge: 500},
		},
		{
			"never paid: nothing to give back",
			proration.Input{Period: april, At: middle, OldPrice: 3000, NewPrice: 1000},
			proration.Result{Unused: 1500, Used: 1500, Charge: 500},
		},
		{
			"most of it credited before",
			proration.Input{Period: april, At: middle, OldPrice: 3000, NewPrice: 1000, PaidForOld: 200},
			proration.Result{Credit: 200, Unused: 1500, Used: 1500, Charge: 500},
		},
		{
			"more credited than paid",
			proration.Input{Period: april, At: middle, OldPrice: 3000, NewPrice: 1000, PaidForOld: -50},
			proration.Result{Unused: 1500, Used: 1500, Charge: 500},
		},
		{
			"at the very start",
			proration.Input{Period: april, At: april.Start, OldPrice: 1000, NewPrice: 2000, PaidForOld: 1000},
			proration.Result{Credit: 1000, Unused: 1000, Charge: 2000},
		},
		{
			"in the last second",
			proration.Input{Period: april, At: april.End.Add(-1), OldPrice: 2_592_000, NewPrice: 5_184_000, PaidForOld: 2_592_000},
			proration.Result{Credit: 1, Unused: 1, Used: 2_591_999, Charge: 2},
		},
		{
			"half a unit goes to the used side, away from zero",
			proration.Input{Period: april, At: middle, OldPrice: 1, NewPrice: 1, PaidForOld: 1},
			proration.Result{Used: 1},
		},
		{
			"from free",
			proration.Input{Period: april, At: middle, NewPrice: 1000},
			proration.Result{Charge: 500},
		},
		{
			"to free",
			proration.Input{Period: april, At: middle, OldPrice: 1000, PaidForOld: 1000},
			proration.Result{Credit: 500, Unused: 500, Used: 500},
		},
		{
			"the largest price",
			proration.Input{Period: april, At: april.Start, OldPrice: money.MaxMinor, NewPrice: money.MaxMinor, PaidForOld: math.MaxInt64},
			proration.Result{Credit: money.MaxMinor, Unused: money.MaxMinor, Charge: money.MaxMinor},
		},
	} {
		got, err := proration.FlatChange(c.in)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

// TestClockChangeCountsRealTime: on the day Berlin skips an hour, noon is 11 of 23 hours into it.
func TestClockChangeCountsRealTime(t *testing.T) {
	t.Parallel()
	berlin, err := period.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	day := period.Schedule{
		Anchor:   time.Date(2026, time.March, 29, 0, 0, 0, 0, berlin),
		Location: berlin,
		Interval: period.Interval{Unit: period.Day, Count: 1},
	}.Period(0)
	got, err := proration.FlatChange(proration.Input{
		Period: day, At: time.Date(2026, time.March, 29, 12, 0, 0, 0, berlin), OldPrice: 2300, PaidForOld: 2300,
	})
	require.NoError(t, err)
	require.Equal(t, proration.Result{Credit: 1200, Unused: 1200, Used: 1100}, got)
}

func TestFlatChangeRefuses(t *testing.T) {
	t.Parallel()
	valid := proration.Input{Period: april, At: april.Start, OldPrice: 1000, NewPrice: 1000, PaidForOld: 1000}
	for _, c := range []struct {
		name, code, param string
		change            func(*proration.Input)
	}{
		{"before the period", "change_outside_period", "", func(in *proration.Input) { in.At = april.Start.Add(-1) }},
		{"at its end", "change_outside_period", "", func(in *proration.Input) { in.At = april.End }},
		{"after the period", "change_outside_period", "", func(in *proration.Input) { in.At = april.End.AddDate(1, 0, 0) }},
		{"no instant", "change_outside_period", "", func(in *proration.Input) { in.At = time.Time{} }},
		{"empty period", "period_empty", "", func(in *proration.Input) { in.Period.End = in.Period.Start }},
		{"period within a second", "period_empty", "", func(in *proration.Input) { in.Period.End = in.Period.Start.Add(999_999_999) }},
		{"backward period", "period_empty", "", func(in *proration.Input) { in.Period.End = in.Period.Start.AddDate(-1, 0, 0) }},
		{"negative old price", "amount_negative", "oldPrice", func(in *proration.Input) { in.OldPrice = -1 }},
		{"negative new price", "amount_negative", "newPrice", func(in *proration.Input) { in.NewPrice = math.MinInt64 }},
		{"old price too large", "amount_too_large", "oldPrice", func(in *proration.Input) { in.OldPrice = money.MaxMinor + 1 }},
		{"new price too large", "amount_too_large", "newPrice", func(in *proration.Input) { in.NewPrice = math.MaxInt64 }},
	} {
		in := valid
		c.change(&in)
		got, err := proration.FlatChange(in)
		require.Error(t, err, c.name)
		f := fault.From(err)
		require.Equal(t, []string{string(fault.Invalid), c.code, c.param}, []string{string(f.Kind), f.Code, f.Param}, c.name)
		require.Zero(t, got, c.name)
	}
}

// anyPrice and the generators below are made anew by each test: rapid's are not safe to share between parallel ones.
func anyPrice() *rapid.Generator[money.Minor] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) money.Minor { return money.Minor(rapid.Int64Range(0, 5000).Draw(t, "price")) }),
		rapid.Custom(func(t *rapid.T) money.Minor {
			return money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)).Draw(t, "price"))
		}),
	)
}

func anyPeriod() *rapid.Generator[period.Period] {
	return rapid.Custom(func(t *rapid.T) period.Period {
		start := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "start"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos"))
		length := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, 10*366*86400)).Draw(t, "seconds")
		return period.Period{Start: start, End: start.Add(time.Duration(length) * time.Second)}
	})
}

// within draws an instant of p.
func within(p period.Period) *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return p.Start.Add(time.Duration(rapid.Int64Range(0, int64(p.Duration())-1).Draw(t, "at")))
	})
}

func TestFlatChangeProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPeriod().Draw(t, "period")
		in := proration.Input{
			Period: p, At: within(p).Draw(t, "at"), OldPrice: anyPrice().Draw(t, "old"), NewPrice: anyPrice().Draw(t, "new"),
			PaidForOld: anyPrice().Draw(t, "paid"),
		}
		r, err := proration.FlatChange(in)
		require.NoError(t, err)
		require.Equal(t, in.OldPrice, r.Used+r.Unused)
		require.GreaterOrEqual(t, min(r.Used, r.Unused, r.Charge, r.Credit), money.Minor(0))
		require.LessOrEqual(t, r.Credit, min(in.PaidForOld, r.Unused))
		require.LessOrEqual(t, r.Charge, in.NewPrice)

		in.NewPrice = in.OldPrice
		same, err := proration.FlatChange(in)
		require.NoError(t, err)
		require.Equal(t, same.Unused, same.Charge, "a change to the same price is worth nothing")
	})
}

// TestChainOfChangesConservesTheWhole changes the price several times in a period and pays every line. What remains paid
// is, to the minor unit, each price's part for the time it applied.
func TestChainOfChangesConservesTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPeriod().Draw(t, "period")
		instants := rapid.SliceOfN(within(p), 0, 6).Draw(t, "instants")
		slices.SortFunc(instants, time.Time.Compare)
		price := anyPrice().Draw(t, "price")
		paidForLine, paid := price, price
		var since int64
		var owed money.Minor
		for _, at := range instants {
			next := anyPrice().Draw(t, "next")
			r, err := proration.FlatChange(proration.Input{Period: p, At: at, OldPrice: price, NewPrice: next, PaidForOld: paidForLine})
			require.NoError(t, err)
			require.Equal(t, r.Unused, r.Credit, "all of it was paid")
			offset := at.Unix() - p.Start.Unix()
			owed += money.Part(price, since, offset, p.Seconds())
			paid += r.Charge - r.Credit
			price, paidForLine, since = next, r.Charge, offset
		}
		owed += money.Part(price, since, p.Seconds(), p.Seconds())
		require.Equal(t, owed, paid)
	})
}
