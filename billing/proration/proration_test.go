package proration_test

import (
	"math"
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

// restOf returns the rest of a price, counted in seconds.
func restOf(price money.Minor, of period.Period, at time.Time) (money.Minor, error) {
	span, err := proration.Second.Rest(of, at, nil)
	if err != nil {
		return 0, err
	}
	return span.Of(price), nil
}

func TestRest(t *testing.T) {
	t.Parallel()
	middle := april.Start.AddDate(0, 0, 15)
	for _, c := range []struct {
		name        string
		price, want money.Minor
		at          time.Time
	}{
		{"half-way", 3000, 1500, middle},
		{"at the very start", 2000, 2000, april.Start},
		{"in the last second", 5_184_000, 2, april.End.Add(-1)},
		{"half a unit goes to the used side, away from zero", 1, 0, middle},
		{"nothing", 0, 0, middle},
		{"the largest price", money.MaxMinor, money.MaxMinor, april.Start},
	} {
		got, err := restOf(c.price, april, c.at)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
}

// TestRest_ClockChangeCountsRealTime: on the day Berlin skips an hour, noon is 11 of 23 hours into it.
func TestRest_ClockChangeCountsRealTime(t *testing.T) {
	t.Parallel()
	berlin, err := period.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	day := period.Schedule{
		Anchor:   time.Date(2026, time.March, 29, 0, 0, 0, 0, berlin),
		Location: berlin,
		Interval: period.Interval{Unit: period.Day, Count: 1},
	}.Period(0)
	got, err := restOf(2300, day, time.Date(2026, time.March, 29, 12, 0, 0, 0, berlin))
	require.NoError(t, err)
	require.Equal(t, money.Minor(1200), got)
}

func TestRest_Refuses(t *testing.T) {
	t.Parallel()
	start := april.Start
	for _, c := range []struct {
		name, code string
		of         period.Period
		at         time.Time
	}{
		{"before the period", "change_outside_period", april, start.Add(-1)},
		{"at its end", "change_outside_period", april, april.End},
		{"after the period", "change_outside_period", april, april.End.AddDate(1, 0, 0)},
		{"no instant", "change_outside_period", april, time.Time{}},
		{"empty period", "period_empty", period.Period{Start: start, End: start}, start},
		{"period within a second", "period_empty", period.Period{Start: start, End: start.Add(999_999_999)}, start},
		{"backward period", "period_empty", period.Period{Start: start, End: start.AddDate(-1, 0, 0)}, start},
	} {
		got, err := restOf(1000, c.of, c.at)
		require.Error(t, err, c.name)
		f := fault.From(err)
		require.Equal(t, []string{string(fault.Invalid), c.code, ""}, []string{string(f.Kind), f.Code, f.Param}, c.name)
		require.Zero(t, got, c.name)
	}
}

func TestCredit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                 string
		unused, billed, want money.Minor
	}{
		{"all of it was billed", 500, 1000, 500},
		{"never billed: nothing to give back", 1500, 0, 0},
		{"most of it credited before", 1500, 200, 200},
		{"more credited than billed", 1500, -50, 0},
		{"nothing unused", 0, 1000, 0},
		{"the largest", money.MaxMinor, math.MaxInt64, money.MaxMinor},
	} {
		require.Equal(t, c.want, proration.Credit(c.unused, c.billed), c.name)
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
		start := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "start"),
			rapid.Int64Range(0, 999_999_999).Draw(t, "nanos"))
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

func TestRest_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyPeriod().Draw(t, "period")
		price, at, later := anyPrice().Draw(t, "price"), within(p).Draw(t, "at"), within(p).Draw(t, "later")
		if later.Before(at) {
			at, later = later, at
		}
		rest, err := restOf(price, p, at)
		require.NoError(t, err)
		require.LessOrEqual(t, rest, price)
		left, err := restOf(price, p, later)
		require.NoError(t, err)
		require.GreaterOrEqual(t, left, money.Minor(0))
		require.LessOrEqual(t, left, rest, "time only uses it up")
		length := p.Seconds()
		used := money.Part(price, 0, at.Unix()-p.Start.Unix(), length)
		require.Equal(t, price, used+rest, "what was used and what is left are the whole")
	})
}

func TestCredit_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unused, billed, given := anyPrice().Draw(t, "unused"), anyPrice().Draw(t, "billed"), anyPrice().Draw(t,
			"given before")
		got := proration.Credit(unused, billed-given)
		require.GreaterOrEqual(t, got, money.Minor(0))
		require.LessOrEqual(t, got, unused)
		if got > 0 {
			require.LessOrEqual(t, got+given, billed, "no more is ever given back than was billed")
		}
	})
}
