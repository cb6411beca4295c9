package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
)

func TestNextDayOfMonth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, zone, from string
		day              int
		want             string
	}{
		{"later this month", "UTC", "2026-03-10T08:00:00Z", 25, "2026-03-25T08:00:00Z"},
		{"that day itself", "UTC", "2026-03-25T08:00:00Z", 25, "2026-03-25T08:00:00Z"},
		{"next month", "UTC", "2026-03-26T08:00:00Z", 25, "2026-04-25T08:00:00Z"},
		{"next year", "UTC", "2026-12-26T08:00:00Z", 25, "2027-01-25T08:00:00Z"},
		{"a short month ends earlier", "UTC", "2026-02-10T08:00:00Z", 31, "2026-02-28T08:00:00Z"},
		{"no short month is skipped", "UTC", "2026-01-31T08:00:00Z", 30, "2026-02-28T08:00:00Z"},
		{"leap day", "UTC", "2028-02-10T08:00:00Z", 30, "2028-02-29T08:00:00Z"},
		{"the local date counts", "Pacific/Auckland", "2026-06-24T13:00:00Z", 25, "2026-06-24T13:00:00Z"},
		{"the time of day stays through a clock change", "Europe/Berlin", "2026-03-20T08:00:00Z", 31, "2026-03-31T07:00:00Z"},
		{"no such time on that day", "Europe/Berlin", "2026-03-20T01:30:00Z", 29, "2026-03-29T01:00:00Z"},
		{"the second of two", "Europe/Berlin", "2026-10-25T01:30:00Z", 25, "2026-10-25T01:30:00Z"},
	} {
		loc, err := period.LoadLocation(c.zone)
		require.NoError(t, err)
		from, err := time.Parse(time.RFC3339, c.from)
		require.NoError(t, err)
		require.Equal(t, c.want, period.NextDayOfMonth(from, loc, c.day).Format(time.RFC3339), c.name)
	}
}

func TestNextDayOfMonth_IsTheFirstSuchDate(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "Africa/Douala", "Europe/Berlin", "Pacific/Auckland", "America/St_Johns"}
	rapid.Check(t, func(t *rapid.T) {
		loc, err := period.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		require.NoError(t, err)
		from := time.Unix(rapid.Int64Range(1_600_000_000, 1_900_000_000).Draw(t, "from"), 0)
		day := rapid.IntRange(1, 31).Draw(t, "day")

		next := period.NextDayOfMonth(from, loc, day)

		require.False(t, next.Before(from))
		counts := func(at time.Time) bool {
			local := at.In(loc)
			last := time.Date(local.Year(), local.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
			return local.Day() == min(day, last)
		}
		require.True(t, counts(next), "%s is no such date", next.In(loc))
		for days := 0; ; days++ {
			at := period.AddDays(from, loc, days)
			if !at.Before(next) || at.In(loc).Format(time.DateOnly) == next.In(loc).Format(time.DateOnly) {
				break
			}
			require.False(t, counts(at), "%s was passed over", at.In(loc))
		}
	})
}
