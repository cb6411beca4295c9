package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
)

func TestInterval_Multiple(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		long, short period.Interval
		n           int
		ok          bool
	}{
		{period.Interval{Unit: period.Year, Count: 1}, period.Interval{Unit: period.Month, Count: 1}, 12, true},
		{period.Interval{Unit: period.Month, Count: 12}, period.Interval{Unit: period.Year, Count: 1}, 1, true},
		{period.Interval{Unit: period.Month, Count: 6}, period.Interval{Unit: period.Month, Count: 4}, 0, false},
		{period.Interval{Unit: period.Week, Count: 2}, period.Interval{Unit: period.Day, Count: 7}, 2, true},
		{period.Interval{Unit: period.Month, Count: 1}, period.Interval{Unit: period.Day, Count: 1}, 0, false},
		{period.Interval{Unit: period.Year, Count: 1}, period.Interval{Unit: period.Week, Count: 1}, 0, false},
		{period.Interval{Unit: period.Month, Count: 1}, period.Interval{Unit: period.Year, Count: 1}, 0, false},
		{period.Interval{}, period.Interval{Unit: period.Month, Count: 1}, 0, false},
	} {
		n, ok := c.long.Multiple(c.short)
		require.Equal(t, c.ok, ok, "%s of %s", c.long, c.short)
		require.Equal(t, c.n, n, "%s of %s", c.long, c.short)
		require.Equal(t, c.ok && c.n == 1, c.long.SameLength(c.short))
	}
}

// TestSchedule_Every: the periods of a multiple begin and end with periods of the shorter interval, at any anchor, also
// where clocks change, a month is short or a country left out a day.
func TestSchedule_Every(t *testing.T) {
	t.Parallel()
	zones := []*time.Location{time.UTC}
	for _, name := range []string{"Europe/Berlin", "America/New_York", "Pacific/Apia", "Africa/Cairo"} {
		loc, err := period.LoadLocation(name)
		require.NoError(t, err)
		zones = append(zones, loc)
	}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]period.Unit{period.Day, period.Week, period.Month}).Draw(t, "unit")
		short := period.Interval{Unit: unit, Count: rapid.IntRange(1, 4).Draw(t, "count")}
		long := period.Interval{Unit: unit, Count: short.Count * rapid.IntRange(1, 13).Draw(t, "times")}
		if unit == period.Month && rapid.Bool().Draw(t, "years") {
			short.Count, long = rapid.SampledFrom([]int{1, 2, 3, 4, 6, 12}).Draw(t, "months"),
				period.Interval{Unit: period.Year, Count: rapid.IntRange(1, 2).Draw(t, "n")}
		}
		anchor := time.Unix(rapid.Int64Range(1_262_304_000, 1_900_000_000).Draw(t, "anchor"), 0).UTC()
		grid := period.Schedule{
			Anchor: anchor, Location: rapid.SampledFrom(zones).Draw(t, "zone"), Interval: short,
		}
		at := anchor.Add(time.Duration(rapid.Int64Range(-900, 1500).Draw(t, "day")) * 24 * time.Hour)
		own, one := grid.Every(long).Around(at), grid.Around(at)
		require.True(t, own.Contains(at))
		require.False(t, one.Start.Before(own.Start), "%s begins before %s", one, own)
		require.False(t, one.End.After(own.End), "%s ends after %s", one, own)
		require.Equal(t, own.Start, grid.Around(own.Start).Start, "no period of the short interval begins with it")
		require.Equal(t, own.End, grid.Around(own.End).Start)
		if n, _ := long.Multiple(short); n == 1 {
			require.Equal(t, own, one)
		}
	})
}
