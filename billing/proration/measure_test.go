package proration_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
)

var measures = []proration.Measure{proration.Second, proration.Day, proration.DayInclusive, proration.Fixed30}

func at(t *testing.T, s string, loc *time.Location) time.Time {
	t.Helper()
	parsed, err := time.ParseInLocation("2006-01-02 15:04:05", s, loc)
	require.NoError(t, err)
	return parsed
}

// TestMeasure_SameChange changes and ends in the middle of 12 March, of a month with 31 days and a clock change.
func TestMeasure_SameChange(t *testing.T) {
	t.Parallel()
	berlin, err := period.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	march := period.Period{Start: at(t, "2026-03-01 00:00:00", berlin), End: at(t, "2026-04-01 00:00:00", berlin)}
	noon := at(t, "2026-03-12 12:00:00", berlin)
	const price = 3100
	for _, c := range []struct {
		measure              proration.Measure
		rest, unused         money.Minor
		restUnits, endsUnits int64
		length               int64
	}{
		{proration.Second, 1948, 1948, 19*86400 + 43200 - 3600, 19*86400 + 43200 - 3600, 31*86400 - 3600},
		{proration.Day, 2000, 2000, 20, 20, 31},
		{proration.DayInclusive, 2000, 1900, 20, 19, 31},
		{proration.Fixed30, 1963, 1963, 19, 19, 30},
	} {
		rest, err := c.measure.Rest(march, noon, berlin)
		require.NoError(t, err)
		require.Equal(t, c.rest, rest.Of(price), c.measure)
		require.Equal(t, []int64{c.restUnits, c.length}, []int64{rest.Units(), rest.Length}, c.measure)
		unused, err := c.measure.Unused(march, noon, berlin)
		require.NoError(t, err)
		require.Equal(t, c.unused, unused.Of(price), c.measure)
		require.Equal(t, c.endsUnits, unused.Units(), c.measure)
		require.False(t, rest.Whole())

		all, err := c.measure.Rest(march, march.Start, berlin)
		require.NoError(t, err)
		require.True(t, all.Whole(), c.measure)
		none, err := c.measure.Unused(march, march.Start, berlin)
		require.NoError(t, err)
		require.True(t, none.Whole(), "%s: ended at its very start, nothing was used", c.measure)
	}
}

func TestDayInclusive_EndOfUse(t *testing.T) {
	t.Parallel()
	for end, unused := range map[string]int64{
		"2026-04-01 00:00:00": 30, "2026-04-01 00:00:01": 29, "2026-04-02 00:00:00": 29, "2026-04-20 23:59:59": 10,
		"2026-04-30 00:00:00": 1, "2026-04-30 00:00:01": 0, "2026-04-30 23:59:59": 0,
	} {
		got, err := proration.DayInclusive.Unused(april, at(t, end, time.UTC), nil)
		require.NoError(t, err)
		require.Equal(t, unused, got.Units(), end)
	}
}

func TestFixed30_Months(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		days     int64
	}{
		{"2026-01-01", "2026-02-01", 30}, {"2026-02-01", "2026-03-01", 30}, {"2024-02-01", "2024-03-01", 30},
		{"2026-01-31", "2026-03-31", 60}, {"2026-01-30", "2026-01-31", 0}, {"2026-02-28", "2026-03-01", 3},
		{"2026-01-15", "2027-01-15", 360}, {"2025-12-31", "2026-01-01", 1},
	} {
		days := proration.Fixed30.Units(at(t, c.from+" 08:00:00", time.UTC), at(t, c.to+" 07:00:00", time.UTC), nil)
		require.Equal(t, c.days, days, "%s to %s", c.from, c.to)
	}
}

// TestSpan_ShorterThanOneUnit: the 31st has no day of its own among months of 30, so its seconds are counted.
func TestSpan_ShorterThanOneUnit(t *testing.T) {
	t.Parallel()
	last := period.Period{Start: at(t, "2026-01-30 00:00:00", time.UTC), End: at(t, "2026-01-31 00:00:00", time.UTC)}
	rest, err := proration.Fixed30.Rest(last, last.Start.Add(6*time.Hour), nil)
	require.NoError(t, err)
	require.EqualValues(t, 75, rest.Of(100))
}

// TestSpan_OneUnit: the day of a change belongs to what begins, also where it is all of the period.
func TestSpan_OneUnit(t *testing.T) {
	t.Parallel()
	first := period.Period{Start: april.Start, End: april.Start.AddDate(0, 0, 1)}
	for _, m := range []proration.Measure{proration.Day, proration.DayInclusive, proration.Fixed30} {
		rest, err := m.Rest(first, first.Start.Add(12*time.Hour), nil)
		require.NoError(t, err)
		require.EqualValues(t, 100, rest.Of(100), m)
	}
}

func TestMeasure_Unknown(t *testing.T) {
	t.Parallel()
	for _, m := range measures {
		require.NoError(t, m.Validate())
	}
	require.ErrorContains(t, proration.Measure("hour").Validate(), "proration_measure_unknown")
	require.EqualValues(t, 60, proration.Measure("").Units(april.Start, april.Start.Add(time.Minute), nil))
}

// TestMeasure_PartsSumToWhole divides a period at any instants, by any measure, in any zone.
func TestMeasure_PartsSumToWhole(t *testing.T) {
	t.Parallel()
	var zones []*time.Location
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Africa/Cairo"} {
		loc, err := period.LoadLocation(name)
		require.NoError(t, err)
		zones = append(zones, loc)
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(measures).Draw(t, "measure")
		loc := rapid.SampledFrom(zones).Draw(t, "zone")
		p, price := anyPeriod().Draw(t, "period"), anyPrice().Draw(t, "price")
		cuts := rapid.SliceOfN(within(p), 0, 6).Draw(t, "changes")
		rest, err := m.Rest(p, p.Start, loc)
		require.NoError(t, err)
		require.True(t, rest.Whole())
		left, from, sum := price, p.Start, money.Minor(0)
		for _, cut := range sorted(cuts) {
			used, err := m.Span(p, period.Period{Start: from, End: cut}, loc)
			require.NoError(t, err)
			require.GreaterOrEqual(t, used.Of(price), money.Minor(0))
			sum += used.Of(price)
			rest, err := m.Rest(p, cut, loc)
			require.NoError(t, err)
			require.Equal(t, price, sum+rest.Of(price), "what was used and what is left are the whole")
			require.LessOrEqual(t, rest.Of(price), left, "time only uses it up")
			unused, err := m.Unused(p, cut, loc)
			require.NoError(t, err)
			require.LessOrEqual(t, unused.Of(price), rest.Of(price), "who ends uses at least as much as who changes")
			left, from = rest.Of(price), cut
		}
		last, err := m.Span(p, period.Period{Start: from, End: p.End}, loc)
		require.NoError(t, err)
		require.Equal(t, price, sum+last.Of(price))
	})
}

func sorted(instants []time.Time) []time.Time {
	slices.SortFunc(instants, time.Time.Compare)
	return instants
}

// TestDay_AgreesWithSecondAtMidnight where no clock changes.
func TestDay_AgreesWithSecondAtMidnight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2020, 1, 1+rapid.IntRange(0, 3000).Draw(t, "start"), 0, 0, 0, 0, time.UTC)
		days := rapid.IntRange(1, 800).Draw(t, "days")
		p := period.Period{Start: start, End: start.AddDate(0, 0, days)}
		at := start.AddDate(0, 0, rapid.IntRange(0, days-1).Draw(t, "at"))
		price := anyPrice().Draw(t, "price")
		bySecond, err := proration.Second.Rest(p, at, nil)
		require.NoError(t, err)
		for _, m := range []proration.Measure{proration.Day, proration.DayInclusive} {
			byDay, err := m.Rest(p, at, nil)
			require.NoError(t, err)
			require.Equal(t, bySecond.Of(price), byDay.Of(price))
		}
	})
}
