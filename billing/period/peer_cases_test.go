package period_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfPeriods(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "a_periods",
		Readers: map[string]peercases.Reader{
			"next_boundary":          peercases.NewReader(checkNextBoundary),
			"period_containing":      peercases.NewReader(checkPeriodContaining),
			"period_sequence":        peercases.NewCaseReader(checkPeriodSequence),
			"kb-bcd/period_sequence": peercases.NewReader(checkBilledOnRun),
			"next_occurrence":        peercases.NewCaseReader(checkOccurrence),
			"prev_occurrence":        peercases.NewCaseReader(checkOccurrence),
			"add_interval":           peercases.NewReader(checkAddInterval),
			"add_interval_series":    peercases.NewReader(checkAddIntervalSeries),
			"add_duration":           peercases.NewReader(checkAddDuration),
			"whole_periods":          peercases.NewReader(checkWholePeriods),
			"floor":                  peercases.NewReader(checkFloor),
			"window_starts":          peercases.NewReader(checkWindowStarts),
			"calendar_anchor":        peercases.NewReader(checkCalendarAnchor),
			"local_date_sequence":    peercases.NewReader(checkLocalDateSequence),
			"lago_boundary":          peercases.NewReader(checkLagoBoundary),
			"usage_reset":            peercases.NewReader(checkUsageReset),
			"bcd_align":              peercases.NewReader(checkCycleDayAlign),
			"bcd_change":             peercases.NewReader(checkCycleDayChange),
			"bill_cycle_day":         peercases.NewReader(checkCycleDay),
			"due_probe":              peercases.NewReader(checkLagoDueProbe),
			"billing_days":           peercases.NewReader(checkLagoBillingDays),
			"invoice_boundaries":     peercases.NewReader(checkLagoInvoiceBoundaries),
		},
		Excluded: []peercases.Exclusion{
			{Flag: "peer-specific", Reason: "a decision of that peer alone"},
			{Flag: "legacy", Reason: "kept by the peer for its old data"},
			{
				Rule: "fp-usage-reset-local-midnight", When: endsWithinDay,
				Reason: "usage of ours ends with the billing period, at its time of day",
			},
			{Rule: "om-aligned", Kind: "service_periods", Reason: "asks where items begin and end within phases; ours change when somebody asks for it"},
			{
				Rule: "kb-bcd", Kind: "interval_detail",
				Reason: "an anchor is an instant; there is no bill cycle day apart from it",
			},
			{Rule: "kb-bcd", Kind: "whole_periods", Reason: "an anchor is an instant; there is no bill cycle day apart from it"},
			{When: wantsHours, Reason: "an interval is a day or longer"},
			{Kind: "lago_boundary", When: asksDayOfUpgrade, Reason: "the peer gives the day of an upgrade to the new plan"},
		},
	}.Run(t)
}

func wantsHours(c peercases.Case) bool {
	var in struct{ Unit, Window, Interval string }
	return json.Unmarshal(c.Input, &in) == nil && (in.Unit == "hour" || in.Window == "hour" || in.Interval == "hour")
}

// asksDayOfUpgrade finds bounds that move when another plan follows. The end of usage does not: it is an instant.
func asksDayOfUpgrade(c peercases.Case) bool {
	var in struct {
		Replaced bool `json:"replaced_by_next_subscription"`
		Which    string
	}
	return json.Unmarshal(c.Input, &in) == nil && in.Replaced && in.Which != "charges_to" && in.Which != "fixed_charges_to"
}

// units translates the interval names of the cases.
var units = map[string]period.Interval{
	"day":         {Unit: period.Day, Count: 1},
	"week":        {Unit: period.Week, Count: 1},
	"two_weeks":   {Unit: period.Week, Count: 2},
	"thirty_days": {Unit: period.Day, Count: 30},
	"month":       {Unit: period.Month, Count: 1},
	"quarter":     {Unit: period.Month, Count: 3},
	"half_year":   {Unit: period.Month, Count: 6},
	"year":        {Unit: period.Year, Count: 1},
}

func interval(t *testing.T, name string, count int) period.Interval {
	t.Helper()
	i, known := units[name]
	require.True(t, known, "interval %q", name)
	i.Count *= max(count, 1)
	require.NoError(t, i.Validate())
	return i
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	if name == "" {
		return time.UTC
	}
	if offset, err := time.Parse("-07:00", name); err == nil { // cases may name an offset, which customers may not
		return offset.Location()
	}
	loc, err := period.LoadLocation(name)
	require.NoError(t, err)
	return loc
}

// instant reads an instant, or a date as its local midnight.
func instant(t *testing.T, s string, loc *time.Location) time.Time {
	t.Helper()
	if strings.Contains(s, "T") {
		at, err := time.Parse(time.RFC3339, s)
		require.NoError(t, err)
		return at
	}
	at, err := time.ParseInLocation(time.DateOnly, s, loc)
	require.NoError(t, err)
	return at
}

// requireInstant compares with an instant or a local date of the case.
func requireInstant(t *testing.T, want string, got time.Time, loc *time.Location) {
	t.Helper()
	require.Equal(t, instant(t, want, loc).UTC(), got.UTC())
}

// calendarGrid has the boundaries of the calendar itself: 1 January 2001 began a week, a month and all that is longer.
func calendarGrid(loc *time.Location, i period.Interval) period.Schedule {
	return period.Schedule{Anchor: time.Date(2001, time.January, 1, 0, 0, 0, 0, loc), Location: loc, Interval: i}
}

// after is the first boundary later than at.
func after(s period.Schedule, at time.Time) time.Time { return s.Boundary(s.IndexAt(at) + 1) }
