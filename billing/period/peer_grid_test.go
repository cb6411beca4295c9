package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/internal/peercases"
	"perennial/billing/period"
)

type gridInput struct {
	Interval           string
	Count              int
	Timezone           string
	Mode               string
	Anchor             string
	At                 string
	Boundary           string
	Start, End, Until  string
	Target             string
	BillCycleDay       int    `json:"bill_cycle_day"`
	TrialDays          int    `json:"trial_days"`
	PeriodStart        string `json:"period_start"`
	CalendarAnchorOf   string `json:"calendar_anchor_of"`
	SubscriptionEnd    string `json:"subscription_end"`
	Unit, Window       string
	From, To, Duration string
	AnchorDay          int `json:"anchor_day"`
}

func (in gridInput) schedule(t *testing.T) period.Schedule {
	t.Helper()
	loc := zone(t, in.Timezone)
	return period.Schedule{
		Anchor: instant(t, in.Anchor, loc), Location: loc, Interval: interval(t, in.Interval, in.Count),
	}
}

type span struct{ Start, End string }

func checkNextBoundary(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct {
		PeriodEnd string `json:"period_end"`
	}
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	var grid period.Schedule
	if in.Mode == "calendar" {
		// The grid starts where the calendar next begins a unit of the interval.
		calendar := calendarGrid(loc, interval(t, in.Interval, 1))
		grid = period.Schedule{
			Anchor:   after(calendar, instant(t, in.CalendarAnchorOf, loc)),
			Location: loc,
			Interval: interval(t, in.Interval, in.Count),
		}
	} else {
		grid = in.schedule(t)
	}
	end := after(grid, instant(t, in.PeriodStart, loc))
	if in.SubscriptionEnd != "" {
		if last := instant(t, in.SubscriptionEnd, loc); last.Before(end) {
			end = last
		}
	}
	requireInstant(t, want.PeriodEnd, end, loc)
}

func checkPeriodContaining(t *testing.T, c peercases.Case) {
	var in gridInput
	var want span
	c.Read(t, &in, &want)
	grid := in.schedule(t)
	p := grid.Period(grid.IndexAt(instant(t, in.At, grid.Location)))
	requireInstant(t, want.Start, p.Start, grid.Location)
	if want.End != "" {
		requireInstant(t, want.End, p.End, grid.Location)
	}
}

func checkPeriodSequence(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct {
		Periods     []span
		PeriodEnds  []string `json:"period_ends"`
		PeriodCount *int     `json:"period_count"`
	}
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	start := instant(t, in.Start, loc)
	if in.BillCycleDay > 0 {
		checkBilledOnRun(t, in, want.Periods)
		return
	}
	grid := in.schedule(t)
	for _, p := range want.Periods {
		requireInstant(t, p.Start, start, loc)
		start = after(grid, start)
		requireInstant(t, p.End, start, loc)
	}
	if in.Until == "" {
		return
	}
	var ends []time.Time
	for until := instant(t, in.Until, loc); start.Before(until); ends = append(ends, start) {
		start = after(grid, start)
		if c.Has("end-date") && start.After(until) { // the subscription ends there and cuts its last period
			start = until
		}
	}
	if want.PeriodCount != nil {
		require.Len(t, ends, *want.PeriodCount)
	}
	for i, end := range want.PeriodEnds {
		requireInstant(t, end, ends[i], loc)
	}
}

// checkBilledOnRun lists the periods that a run on `target` bills: in advance those that have started, in arrears those
// that have ended. The anchor is the bill cycle day, in the month of the start or the last one before it which has
// that day. An interval of days knows no day of month and counts from the start.
func checkBilledOnRun(t *testing.T, in gridInput, want []span) {
	t.Helper()
	start, target := instant(t, in.Start, time.UTC), instant(t, in.Target, time.UTC)
	every := interval(t, in.Interval, in.Count)
	grid := period.Schedule{Anchor: start, Interval: every}
	if every.Unit == period.Month || every.Unit == period.Year {
		grid.Anchor = dayOfMonth(start, in.BillCycleDay)
	}
	got := []span{}
	for {
		end, last := after(grid, start), false
		if in.End != "" {
			if cut := instant(t, in.End, time.UTC); !end.Before(cut) {
				end, last = cut, true
			}
		}
		due := start
		if in.Mode == "in_arrear" {
			due = end
		}
		if due.After(target) || !start.Before(end) {
			break
		}
		got = append(got, span{start.Format(time.DateOnly), end.Format(time.DateOnly)})
		if start = end; last {
			break
		}
	}
	require.Equal(t, append([]span{}, want...), got)
}

// dayOfMonth is the latest month, that of `in` or before, which has the day.
func dayOfMonth(in time.Time, day int) time.Time {
	for month := in.Month(); ; month-- {
		year, _, _ := in.Date()
		hour, minute, second := in.Clock()
		at := time.Date(year, month, day, hour, minute, second, in.Nanosecond(), in.Location())
		if at.Day() == day {
			return at
		}
	}
}

func checkOccurrence(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct{ At string }
	c.Read(t, &in, &want)
	grid := in.schedule(t)
	at := instant(t, in.At, grid.Location)
	n := grid.IndexAt(at)
	onGrid := grid.Boundary(n).Equal(at)
	switch {
	case onGrid && in.Boundary == "inclusive":
	case c.Kind == "next_occurrence":
		n++
	case onGrid:
		n--
	}
	requireInstant(t, want.At, grid.Boundary(n), grid.Location)
}

func checkFloor(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct{ Result string }
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	grid := calendarGrid(loc, interval(t, in.Unit, 1))
	requireInstant(t, want.Result, grid.Boundary(grid.IndexAt(instant(t, in.At, loc))), loc)
}

func checkWindowStarts(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct {
		Count  int
		Starts []string
	}
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	start, end := instant(t, in.Start, loc), instant(t, in.End, loc)
	every := interval(t, in.Window, 1)
	grid := calendarGrid(loc, every)
	if every.Unit == period.Month {
		grid.Anchor = start
		if in.Anchor != "" {
			grid.Anchor = instant(t, in.Anchor, loc)
		}
	}
	var starts []time.Time
	for at := grid.Boundary(grid.IndexAt(start)); at.Before(end); at = after(grid, at) {
		starts = append(starts, at)
	}
	require.Len(t, starts, want.Count)
	for i, at := range want.Starts {
		requireInstant(t, at, starts[i], loc)
	}
}

func checkCalendarAnchor(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct{ Anchor string }
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	grid := calendarGrid(loc, interval(t, in.Interval, 1))
	requireInstant(t, want.Anchor, after(grid, instant(t, in.Start, loc)), loc)
}

func checkLocalDateSequence(t *testing.T, c peercases.Case) {
	var in gridInput
	var want struct {
		TrialEnd   string `json:"trial_end"`
		Boundaries []string
	}
	c.Read(t, &in, &want)
	loc := zone(t, in.Timezone)
	trialEnd := period.AddDays(instant(t, in.Start, loc), loc, in.TrialDays)
	if want.TrialEnd != "" {
		require.Equal(t, want.TrialEnd, trialEnd.In(loc).Format(time.DateOnly))
	}
	grid := period.Schedule{Anchor: trialEnd, Location: loc, Interval: interval(t, in.Interval, in.Count)}
	for n, date := range want.Boundaries {
		require.Equal(t, date, grid.Boundary(n).In(loc).Format(time.DateOnly), "boundary %d", n)
	}
}
