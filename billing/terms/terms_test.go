package terms_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/period"
	"perennial/billing/terms"
)

func TestDue(t *testing.T) {
	t.Parallel()
	berlin, err := period.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, c := range []struct {
		issued      string
		loc         *time.Location
		days        int
		due, behind string
	}{
		{"2026-01-31T10:00:00Z", nil, 0, "2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"},
		{"2026-01-31T10:00:00Z", time.UTC, 30, "2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"},
		{"2026-03-27T23:30:00Z", berlin, 1, "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"}, // a day of 23 hours
	} {
		issued, err := time.Parse(time.RFC3339, c.issued)
		require.NoError(t, err)
		got := terms.Terms{NetDays: c.days}.Due(issued, c.loc)
		require.Equal(t, []string{c.due, c.behind}, []string{got.Start.Format(time.RFC3339), got.End.Format(time.RFC3339)})
	}
}

func TestDue_NeverBeforeTheIssue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		issued := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "issued"), 0)
		days := rapid.IntRange(0, terms.MaxNetDays).Draw(t, "days")
		got := terms.Terms{NetDays: days}.Due(issued, nil)
		require.True(t, got.End.After(issued))
		require.Equal(t, int64(days), (got.Start.Unix()-issued.Unix()+86399)/86400)
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	require.NoError(t, terms.Terms{}.Validate())
	require.NoError(t, terms.Terms{Method: terms.Charge}.Validate())
	require.NoError(t, terms.Terms{Method: terms.Send}.Validate())
	require.NoError(t, sent(terms.MaxNetDays).Validate())
	require.ErrorContains(t, sent(terms.MaxNetDays+1).Validate(), "net_days_out_of_range")
	require.ErrorContains(t, sent(-1).Validate(), "net_days_out_of_range")
	require.ErrorContains(t, terms.Terms{NetDays: 1}.Validate(), "net_days_without_send")
	require.ErrorContains(t, terms.Terms{Method: "pigeon"}.Validate(), "collection_method_unknown")
}

func sent(days int) terms.Terms { return terms.Terms{Method: terms.Send, NetDays: days} }

func TestDueAt_IsTheEndOfTheDayOfWhatIsSent(t *testing.T) {
	t.Parallel()
	issued := time.Date(2026, time.January, 31, 10, 0, 0, 0, time.UTC)
	require.Equal(t, time.Date(2026, time.February, 15, 0, 0, 0, 0, time.UTC), sent(14).DueAt(issued, nil))
	require.Equal(t, time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC), sent(0).DueAt(issued, nil))
	require.Zero(t, terms.Terms{}.DueAt(issued, nil))
}
