package period_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
)

func TestAddDays(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, at string
		days           int
		want           string
	}{
		{"a fortnight", "UTC", "2026-02-15T09:30:00Z", 14, "2026-03-01T09:30:00Z"},
		{"back", "UTC", "2026-03-01T00:00:00Z", -1, "2026-02-28T00:00:00Z"},
		{"a leap day", "UTC", "2028-02-28T00:00:00Z", 1, "2028-02-29T00:00:00Z"},
		{"the day has 23 hours", "Europe/Berlin", "2026-03-28T11:00:00Z", 1, "2026-03-29T10:00:00Z"},
		{"the day has 25 hours", "Europe/Berlin", "2026-10-24T10:00:00Z", 1, "2026-10-25T11:00:00Z"},
		{"into a gap", "America/New_York", "2026-03-01T07:30:00Z", 7, "2026-03-08T07:00:00Z"},
		{"back into a doubled hour", "America/New_York", "2026-11-02T06:30:00Z", -1, "2026-11-01T05:30:00Z"},
		{"no day from the later of two", "America/New_York", "2026-11-01T06:30:00Z", 0, "2026-11-01T06:30:00Z"},
		{"over the day Samoa skipped", "Pacific/Apia", "2011-12-29T22:00:00Z", 2, "2011-12-30T22:00:00Z"},
		{"onto the day Samoa skipped", "Pacific/Apia", "2011-12-29T22:00:00Z", 1, "2011-12-30T10:00:00Z"},
	} {
		require.Equal(t, utc(t, c.want), period.AddDays(utc(t, c.at), load(t, c.zone), c.days), c.name)
	}
	require.Equal(t, utc(t, "2026-01-02T00:00:00Z"), period.AddDays(utc(t, "2026-01-01T00:00:00Z"), nil, 1), "nil is UTC")
}

func TestAddDays_BeyondCalendar(t *testing.T) {
	t.Parallel()
	for _, days := range []int{math.MaxInt, math.MaxInt32, 4_000_000} {
		require.Equal(t, period.Latest, period.AddDays(utc(t, "2026-01-01T00:00:00Z"), load(t, "Europe/Berlin"), days))
		require.Equal(t, period.Earliest, period.AddDays(utc(t, "2026-01-01T00:00:00Z"), load(t, "Europe/Berlin"), -days))
	}
	require.Equal(t, period.Earliest, period.AddDays(utc(t, "2026-01-01T00:00:00Z"), nil, math.MinInt))
}

func TestAddDays_EqualsDailyBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := anySchedule().Draw(t, "schedule")
		n := rapid.IntRange(-50, 50).Draw(t, "n")
		if s.Interval.Unit == period.Week {
			require.Equal(t, s.Boundary(n), period.AddDays(s.Anchor, s.Location, 7*s.Interval.Count*n))
		}
		more := rapid.IntRange(1, 50).Draw(t, "more")
		require.False(t, period.AddDays(s.Anchor, s.Location, n+more).Before(period.AddDays(s.Anchor, s.Location, n)))
	})
}
