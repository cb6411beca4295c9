package period_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
)

func TestPeriod_IsHalfOpen(t *testing.T) {
	t.Parallel()
	p := period.Period{Start: utc(t, "2026-02-01T00:00:00Z"), End: utc(t, "2026-03-01T00:00:00Z")}
	require.True(t, p.Contains(p.Start))
	require.True(t, p.Contains(p.End.Add(-1)))
	require.False(t, p.Contains(p.End))
	require.False(t, p.Contains(p.Start.Add(-1)))
	require.Equal(t, 28*24*time.Hour, p.Duration())
	require.Equal(t, int64(28*24*3600), p.Seconds())
	require.Equal(t, "[2026-02-01T00:00:00Z, 2026-03-01T00:00:00Z)", p.String())
}

func TestPeriod_SecondsAddUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		nanos := rapid.Int64Range(0, 1<<60)
		a := time.Unix(0, nanos.Draw(t, "a"))
		b := a.Add(time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "b")))
		c := b.Add(time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "c")))
		left, right := period.Period{Start: a, End: b}, period.Period{Start: b, End: c}
		require.Equal(t, period.Period{Start: a, End: c}.Seconds(), left.Seconds()+right.Seconds())
	})
}

func TestInterval_Validate(t *testing.T) {
	t.Parallel()
	for unit, most := range map[period.Unit]int{period.Day: 3650, period.Week: 520, period.Month: 120, period.Year: 10} {
		require.NoError(t, period.Interval{Unit: unit, Count: 1}.Validate())
		require.NoError(t, period.Interval{Unit: unit, Count: most}.Validate())
		for _, count := range []int{0, -1, most + 1, 1 << 62, -1 << 62} {
			requireFault(t, period.Interval{Unit: unit, Count: count}.Validate(), "interval_count_out_of_range", "intervalCount")
		}
	}
	for _, unit := range []period.Unit{"", "Month", "months", "quarter", "hour"} {
		requireFault(t, period.Interval{Unit: unit, Count: 1}.Validate(), "interval_unknown", "interval")
	}
}

func TestInterval_Text(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1 month", period.Interval{Unit: period.Month, Count: 1}.String())
	require.Equal(t, "14 days", period.Interval{Unit: period.Day, Count: 14}.String())
	raw, err := json.Marshal(period.Interval{Unit: period.Year, Count: 2})
	require.NoError(t, err)
	require.JSONEq(t, `{"unit":"year","count":2}`, string(raw))
}

func TestLoadLocation(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"Africa/Douala", "Etc/GMT+5"}, zones...) {
		loc, err := period.LoadLocation(name)
		require.NoError(t, err)
		require.Equal(t, name, loc.String())
	}
	for _, name := range []string{
		"", "Local", "local", "CEST", "+03:00", "Europe", "Europe/", "Europe/Atlantis", "../../etc/passwd", "/etc/localtime",
		"right/Europe/Berlin", "posix/Europe/Berlin", "posixrules", "localtime", "Factory", "Europe\\Berlin", "zone.tab",
	} {
		_, err := period.LoadLocation(name)
		requireFault(t, err, "time_zone_unknown", "timeZone")
	}
}
