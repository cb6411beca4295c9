package period_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
	"perennial/internal/testkit/peercases"
)

type usageResetInput struct {
	Interval string
	Count    int
	Timezone string
	Start    string `json:"subscription_start"`
	Anchor   time.Time
	At       time.Time
	End      *time.Time `json:"subscription_end"`
}

// endsWithinDay finds periods that do not end at midnight. At midnight, usage and the period end together.
func endsWithinDay(c peercases.Case) bool {
	var in usageResetInput
	if json.Unmarshal(c.Input, &in) != nil {
		return false
	}
	loc, err := period.LoadLocation(in.Timezone)
	if err != nil {
		return false
	}
	local := in.Anchor.In(loc)
	return local.Hour() != 0 || local.Minute() != 0 || local.Second() != 0
}

func checkUsageReset(t *testing.T, in usageResetInput, want struct {
	Next string `json:"next_reset"`
}) {
	loc := zone(t, in.Timezone)
	s := period.Schedule{Anchor: in.Anchor, Location: loc, Interval: interval(t, in.Interval, in.Count)}
	end := after(s, in.At)
	if in.End != nil && in.End.Before(end) {
		end = *in.End
	}
	requireInstant(t, want.Next, end, loc)
}

// checkCycleDayAlign finds the day of the month; intervals of weeks step from the original date.
func checkCycleDayAlign(t *testing.T, in struct {
	Interval string
	Proposed time.Time
	Day      int `json:"bill_cycle_day"`
	Align    string
	Original *time.Time
}, want struct{ Date string }) {
	unit := interval(t, in.Interval, 1)
	from := in.Proposed
	if unit.Unit == period.Day || unit.Unit == period.Week {
		require.NotNil(t, in.Original)
		s := period.Schedule{Anchor: *in.Original, Interval: unit}
		require.Equal(t, want.Date, s.Boundary(s.IndexAt(from.Add(-1))+1).Format(time.DateOnly))
		return
	}
	if in.Align == "same_month" {
		from = from.AddDate(0, 0, 1-from.Day())
	} else {
		require.Equal(t, "next", in.Align)
	}
	require.Equal(t, want.Date, period.NextDayOfMonth(from, time.UTC, in.Day).Format(time.DateOnly))
}

func checkCycleDayChange(t *testing.T, in struct {
	Now time.Time
	At  *string `json:"effective_date"`
	Day int     `json:"new_bill_cycle_day"`
}, want struct{ Date string }) {
	from := in.Now
	if in.At != nil {
		from = instant(t, *in.At, time.UTC)
	}
	require.Equal(t, want.Date, period.NextDayOfMonth(from, time.UTC, in.Day).Format(time.DateOnly))
}

// checkCycleDay has the local day of the month that a schedule keeps, whatever the lengths of months.
func checkCycleDay(t *testing.T, in struct {
	Timezone string
	Start    time.Time
}, want struct {
	Day int `json:"bill_cycle_day"`
}) {
	loc := zone(t, in.Timezone)
	s := period.Schedule{Anchor: in.Start, Location: loc, Interval: period.Interval{Unit: period.Year, Count: 4}}
	require.Equal(t, want.Day, s.Boundary(1).In(loc).Day())
}
