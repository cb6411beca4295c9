package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// zones have difficult calendars: hours and half hours, gaps at midnight, both sides of the date line, days that never
// happened, and quarter hours.
var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Africa/Cairo", "Africa/Douala", "Africa/Casablanca", "Asia/Kathmandu",
	"Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Pacific/Kwajalein", "Pacific/Kiritimati",
	"Pacific/Chatham",
	"America/Sao_Paulo", "Asia/Beirut", "Antarctica/Troll",
}

// load is LoadLocation for zones that exist; it works for a test and inside a property.
func load(t require.TestingT, name string) *time.Location {
	loc, err := period.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

func utc(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, s)
	require.NoError(t, err)
	return at.UTC()
}

func requireFault(t *testing.T, err error, code, param string) {
	t.Helper()
	require.Error(t, err)
	f := fault.From(err)
	require.Equal(t, []string{string(fault.Invalid), code, param}, []string{string(f.Kind), f.Code, f.Param})
}

// anyLocation and the generators below are made anew by each test: rapid's are not safe to share between parallel ones.
func anyLocation() *rapid.Generator[*time.Location] {
	return rapid.Custom(func(t *rapid.T) *time.Location {
		return load(t, rapid.SampledFrom(zones).Draw(t, "zone"))
	})
}

func anyInterval() *rapid.Generator[period.Interval] {
	return rapid.SampledFrom([]period.Interval{
		{Unit: period.Day, Count: 1}, {Unit: period.Day, Count: 2}, {Unit: period.Day, Count: 30},
		{Unit: period.Day, Count: 3650},
		{Unit: period.Week, Count: 1}, {Unit: period.Week, Count: 2}, {Unit: period.Week, Count: 520},
		{Unit: period.Month, Count: 1}, {Unit: period.Month, Count: 3}, {Unit: period.Month, Count: 7},
		{Unit: period.Month, Count: 120}, {Unit: period.Year, Count: 1}, {Unit: period.Year, Count: 4},
		{Unit: period.Year, Count: 10},
	})
}

// anyInstant draws instants from 1970 to 2100, and often one near a clock change or a local midnight of loc.
func anyInstant(loc *time.Location) *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(rapid.Int64Range(0, 4_102_444_800).Draw(t, "unix"), 0).In(loc)
		switch rapid.SampledFrom([]string{"any", "midnight", "change"}).Draw(t, "near") {
		case "midnight":
			year, month, day := at.Date()
			return time.Date(year, month, day, 0, 0, 0, 0, loc)
		case "change":
			if _, change := at.ZoneBounds(); !change.IsZero() {
				return change.Add(time.Duration(rapid.Int64Range(-7200, 7200).Draw(t, "offset")) * time.Second)
			}
		}
		return at
	})
}

func anySchedule() *rapid.Generator[period.Schedule] {
	return rapid.Custom(func(t *rapid.T) period.Schedule {
		loc := anyLocation().Draw(t, "location")
		return period.Schedule{
			Anchor: anyInstant(loc).Draw(t, "anchor"), Location: loc, Interval: anyInterval().Draw(t, "interval"),
		}
	})
}

// anyIndex draws boundaries that lie a few centuries around the anchor, well inside the calendar.
func anyIndex(s period.Schedule) *rapid.Generator[int] {
	most := map[period.Unit]int{
		period.Day: 150_000, period.Week: 20_000, period.Month: 4800, period.Year: 400,
	}[s.Interval.Unit]
	return rapid.OneOf(
		rapid.IntRange(-2, 2),
		rapid.IntRange(-most/s.Interval.Count, most/s.Interval.Count),
	)
}
