package monthly_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/monthly"
)

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := monthly.Parse("2026-11")
	require.NoError(t, err)
	require.Equal(t, monthly.Month{Year: 2026, Month: time.November}, m)
	require.Equal(t, "2026-11", m.String())
	for _, wrong := range []string{
		"", "2026", "2026-13", "2026-00", "2026-1", "26-11", "2026-11-01", "1969-12", "november",
	} {
		_, err := monthly.Parse(wrong)
		require.ErrorIs(t, err, monthly.ErrMalformed, wrong)
	}
}

// A month ends where the next one begins, whatever the clocks do.
func TestMonth_Span(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		zone, month, from, to string // in UTC
	}{
		"UTC":                        {"UTC", "2026-02", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"},
		"a year's end":               {"UTC", "2026-12", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"},
		"ahead of UTC":               {"Africa/Douala", "2026-11", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"},
		"clocks change in the month": {"Europe/Berlin", "2026-03", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},
		"midnight does not exist":    {"Asia/Amman", "2011-04", "2011-03-31T22:00:00Z", "2011-04-30T21:00:00Z"},
		"and ends the month before":  {"Asia/Amman", "2011-03", "2011-02-28T22:00:00Z", "2011-03-31T22:00:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		m, err := monthly.Parse(c.month)
		require.NoError(t, err)
		from, to := m.Span(zone)
		require.Equal(t, []string{c.from, c.to},
			[]string{from.UTC().Format(time.RFC3339), to.UTC().Format(time.RFC3339)}, name)
	}
	m := monthly.Month{Year: 2026, Month: time.February}
	_, to := m.Span(nil)
	require.False(t, m.Complete(nil, to.Add(monthly.Settling-time.Second)), "documents may still be under way")
	require.True(t, m.Complete(nil, to.Add(monthly.Settling)))
}
