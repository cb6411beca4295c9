package period_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
)

// TestBoundary_ClockChanges asks for a boundary whose wall time is missing or doubled, and for the one after, which is
// back at the anchor's wall time because it is counted from the anchor.
func TestBoundary_ClockChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, zone, anchor, first, second string }{
		{"Berlin, 02:30 missing", "Europe/Berlin", "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"},
		{"Berlin, 02:30 twice", "Europe/Berlin", "2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"},
		{
			"Berlin, anchor in the later 02:30", "Europe/Berlin", "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z",
			"2026-10-27T01:30:00Z",
		},
		{
			"New York, 02:30 missing", "America/New_York", "2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z",
			"2026-03-09T06:30:00Z",
		},
		{"New York, 01:30 twice", "America/New_York", "2026-10-31T05:30:00Z", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"},
		{"Cairo, midnight missing", "Africa/Cairo", "2026-04-22T22:00:00Z", "2026-04-23T22:00:00Z", "2026-04-24T21:00:00Z"},
		{"Cairo, 23:30 twice", "Africa/Cairo", "2026-10-28T20:30:00Z", "2026-10-29T20:30:00Z", "2026-10-30T21:30:00Z"},
		{
			"Lord Howe, 02:15 missing by half an hour", "Australia/Lord_Howe", "2026-10-02T15:45:00Z", "2026-10-03T15:30:00Z",
			"2026-10-04T15:15:00Z",
		},
		{
			"Lord Howe, 01:45 twice", "Australia/Lord_Howe", "2026-04-03T14:45:00Z", "2026-04-04T14:45:00Z",
			"2026-04-05T15:15:00Z",
		},
		{
			"Samoa, noon of a day that never was", "Pacific/Apia", "2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z",
			"2011-12-30T22:00:00Z",
		},
		{
			"Samoa, midnight: no empty period", "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z",
			"2011-12-31T10:00:00Z",
		},
	} {
		daily := period.Schedule{
			Anchor: utc(t, c.anchor), Location: load(t, c.zone), Interval: period.Interval{Unit: period.Day, Count: 1},
		}
		require.Equal(t, utc(t, c.anchor), daily.Boundary(0), c.name)
		require.Equal(t, utc(t, c.first), daily.Boundary(1), c.name)
		require.Equal(t, utc(t, c.second), daily.Boundary(2), c.name)
	}
}

// TestBoundary_SkippedDays goes over the skipped days from both sides: dates are in order, none occurs twice, and only
// the skipped one is missing.
func TestBoundary_SkippedDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, before, after string }{
		{"Pacific/Apia", "2011-12-29", "2011-12-31"},
		{"Pacific/Fakaofo", "2011-12-29", "2011-12-31"},
		{"Pacific/Kiritimati", "1994-12-30", "1995-01-01"},
		{"Pacific/Kwajalein", "1993-08-20", "1993-08-22"},
	} {
		loc := load(t, c.zone)
		day := period.Interval{Unit: period.Day, Count: 1}
		for _, anchor := range []string{c.before, c.after} {
			at, err := time.ParseInLocation(time.DateOnly, anchor, loc)
			require.NoError(t, err)
			for _, start := range []int{-400, -1, 0, 400} { // also from an anchor that is far away
				s := period.Schedule{Anchor: at.AddDate(0, 0, start), Location: loc, Interval: day}
				n := s.IndexAt(at)
				require.True(t, s.Boundary(n).Equal(at), "%s from %s", c.zone, s.Anchor)
				other := n + 1
				if anchor == c.after {
					other = n - 1
				}
				got := []string{s.Boundary(n).In(loc).Format(time.DateOnly), s.Boundary(other).In(loc).Format(time.DateOnly)}
				require.ElementsMatch(t, []string{c.before, c.after}, got, "%s from %s", c.zone, s.Anchor)
			}
		}
	}
}

// TestBoundary_MonthEnds takes every anchor day of a year through five years, leap years among them.
func TestBoundary_MonthEnds(t *testing.T) {
	t.Parallel()
	lengths := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	for anchor := time.Date(2023, time.January, 1, 17, 0, 0, 0,
		time.UTC); anchor.Year() == 2023; anchor = anchor.AddDate(0, 0, 1) {
		monthly := period.Schedule{Anchor: anchor, Interval: period.Interval{Unit: period.Month, Count: 1}}
		for n := -24; n <= 60; n++ {
			months := 12*anchor.Year() + int(anchor.Month()) - 1 + n
			year, month := months/12, months%12
			last := lengths[month]
			if month == 1 && (year == 2024 || year == 2028) {
				last = 29
			}
			want := time.Date(year, time.Month(month+1), min(anchor.Day(), last), 17, 0, 0, 0, time.UTC)
			require.Equal(t, want, monthly.Boundary(n), "%s + %d months", anchor, n)
		}
	}
}

// TestBoundary_SeveralYears: n periods of three years from a leap day end on the last of February, 3n years later.
func TestBoundary_SeveralYears(t *testing.T) {
	t.Parallel()
	s := period.Schedule{Anchor: utc(t, "2096-02-29T00:00:00Z"), Interval: period.Interval{Unit: period.Year, Count: 3}}
	for n, want := range []string{"2096-02-29", "2099-02-28", "2102-02-28", "2105-02-28", "2108-02-29"} {
		require.Equal(t, want, s.Boundary(n).Format(time.DateOnly))
	}
}

func TestBoundary_LeapDayYearly(t *testing.T) {
	t.Parallel()
	yearly := period.Schedule{
		Anchor: utc(t, "2096-02-29T00:00:00Z"), Interval: period.Interval{Unit: period.Year, Count: 1},
	}
	for n, day := range map[int]int{-4: 29, -1: 28, 0: 29, 1: 28, 4: 28, 8: 29} { // 2100 is no leap year
		require.Equal(t, day, yearly.Boundary(n).Day(), "year %d", 2096+n)
	}
}

func TestBoundary_StrictlyIncreases(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule().Draw(t, "schedule")
		first := anyIndex(s).Draw(t, "n")
		for n := first; n < first+40; n++ {
			p := s.Period(n)
			require.True(t, p.Start.Before(p.End), "period %d of %+v: %s", n, s, p)
			require.Equal(t, p.End, s.Period(n+1).Start, "periods tile")
			require.Equal(t, time.UTC, p.Start.Location())
		}
		require.True(t, s.Boundary(0).Equal(s.Anchor))
	})
}

func TestIndexAt_InvertsBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule().Draw(t, "schedule")
		n := anyIndex(s).Draw(t, "n")
		p := s.Period(n)
		require.Equal(t, n, s.IndexAt(p.Start))
		require.Equal(t, n, s.IndexAt(p.End.Add(-1)))
		require.Equal(t, n+1, s.IndexAt(p.End))

		at := anyInstant(s.Location).Draw(t, "at")
		require.True(t, s.Period(s.IndexAt(at)).Contains(at))
	})
}

// TestBoundary_KeepsWallTimeOfAnchor states the rule for missing and doubled wall times without using it.
func TestBoundary_KeepsWallTimeOfAnchor(t *testing.T) {
	t.Parallel()
	const layout = "15:04:05.999999999"
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule().Draw(t, "schedule")
		n := anyIndex(s).Filter(func(n int) bool { return n != 0 }).Draw(t, "n")
		at := s.Boundary(n).In(s.Location)
		want := s.Anchor.In(s.Location).Format(layout)
		if got := at.Format(layout); got != want {
			_, offset := at.Zone()
			_, before := at.Add(-1).Zone()
			require.Greater(t, offset, before, "at %s, not %s: only the end of a gap may differ", got, want)
			return
		}
		for _, change := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} {
			earlier := at.Add(-change)
			require.False(t, earlier.Format(layout) == want && earlier.Day() == at.Day(), "%s occurred at %s already",
				want, earlier)
		}
	})
}

func TestIndexAt_FarAway(t *testing.T) {
	t.Parallel()
	for _, unit := range []period.Unit{period.Day, period.Week, period.Month, period.Year} {
		s := period.Schedule{
			Anchor: utc(t, "2026-01-31T10:00:00Z"), Location: load(t, "Europe/Berlin"),
			Interval: period.Interval{Unit: unit, Count: 1},
		}
		for _, at := range []string{
			"0001-06-01T00:00:00Z", "1200-01-01T00:00:00Z", "5000-02-28T12:00:00Z", "9998-12-31T00:00:00Z",
		} {
			require.True(t, s.Period(s.IndexAt(utc(t, at))).Contains(utc(t, at)), "%s %s", unit, at)
		}
	}
}

// TestBoundary_BeyondCalendar states what hostile numbers do: boundaries stop at the ends of the calendar, and every
// call returns.
func TestBoundary_BeyondCalendar(t *testing.T) {
	t.Parallel()
	beyond := []time.Time{
		time.Unix(math.MaxInt64>>1, 0), time.Unix(-math.MaxInt64>>1, 0), time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(-20_000, 1, 1, 0, 0, 0, 0, time.UTC), {}, period.Earliest, period.Latest,
	}
	for _, unit := range []period.Unit{period.Day, period.Week, period.Month, period.Year} {
		for _, zone := range []string{"UTC", "America/New_York", "Pacific/Apia"} {
			s := period.Schedule{
				Anchor: utc(t, "2026-01-31T10:00:00Z"), Location: load(t, zone), Interval: period.Interval{Unit: unit, Count: 1},
			}
			for _, n := range []int{math.MaxInt, math.MaxInt - 1, math.MaxInt32, 10_000_000} {
				require.Equal(t, period.Latest, s.Boundary(n-1), "%s %s %d", unit, zone, n)
				require.Equal(t, period.Earliest, s.Boundary(-n), "%s %s %d", unit, zone, -n)
			}
			require.Equal(t, period.Earliest, s.Boundary(math.MinInt))
			for _, at := range beyond {
				p := s.Period(s.IndexAt(at))
				require.True(t, p.Start.Before(p.End), "%s %s %s: %s", unit, zone, at, p)
				moved := s
				moved.Anchor = at
				for _, n := range []int{-1, 0, 1, math.MinInt + 1, math.MaxInt - 1} {
					got := moved.Period(n)
					require.False(t, got.Start.Before(period.Earliest) || got.End.After(period.Latest) || got.End.Before(got.Start))
				}
				require.False(t, moved.Boundary(moved.IndexAt(utc(t, "2026-01-01T00:00:00Z"))).After(utc(t,
					"2026-01-01T00:00:00Z")))
			}
		}
	}
}

func TestSchedule_DefaultsToUTC(t *testing.T) {
	t.Parallel()
	s := period.Schedule{
		Anchor:   time.Date(2026, 1, 31, 0, 0, 0, 0, time.FixedZone("", 3600)),
		Interval: period.Interval{Unit: period.Month, Count: 1},
	}
	require.Equal(t, utc(t, "2026-02-28T23:00:00Z"), s.Boundary(1))
}
