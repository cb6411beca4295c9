package period_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
	"perennial/internal/testkit/peercases"
)

// gridInput is the part that makes the grid. Each kind adds only the fields that its check reads.
type gridInput struct {
	Interval string
	Count    int
	Timezone string
	Anchor   string
}

func (in gridInput) schedule(t *testing.T) period.Schedule {
	t.Helper()
	loc := zone(t, in.Timezone)
	return period.Schedule{
		Anchor: instant(t, in.Anchor, loc), Location: loc, Interval: interval(t, in.Interval, in.Count),
	}
}

type span struct{ Start, End string }

type nextBoundaryInput struct {
	gridInput
	Mode             string
	PeriodStart      string `json:"period_start"`
	CalendarAnchorOf string `json:"calendar_anchor_of"`
	SubscriptionEnd  string `json:"subscription_end"`
}

type nextBoundaryResult struct {
	PeriodEnd string `json:"period_end"`
}

func checkNextBoundary(t *testing.T, in nextBoundaryInput, want nextBoundaryResult) {
	require.Contains(t, []string{"anniversary", "calendar"}, in.Mode)
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

type periodContainingInput struct {
	gridInput
	At                string
	SubscriptionStart string `json:"subscription_start"`
	KnownPeriod       span   `json:"known_period"` // where the peer starts its search, not part of the question
}

func checkPeriodContaining(t *testing.T, in periodContainingInput, want span) {
	grid := in.schedule(t)
	at := instant(t, in.At, grid.Location)
	p := grid.Period(grid.IndexAt(at))
	if in.SubscriptionStart != "" {
		start := instant(t, in.SubscriptionStart, grid.Location)
		require.False(t, at.Before(start), "no period before the subscription starts")
		p.Start = latest(p.Start, start)
	}
	requireInstant(t, want.Start, p.Start, grid.Location)
	if want.End != "" {
		requireInstant(t, want.End, p.End, grid.Location)
	}
}

type periodSequenceInput struct {
	gridInput
	Start, Until string
}

type periodSequenceResult struct {
	Periods     []span
	PeriodEnds  []string `json:"period_ends"`
	PeriodCount *int     `json:"period_count"`
}

func checkPeriodSequence(t *testing.T, c peercases.Case, in periodSequenceInput, want periodSequenceResult) {
	loc := zone(t, in.Timezone)
	start := instant(t, in.Start, loc)
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

type billedOnRunInput struct {
	Interval           string
	Count              int
	Mode               string
	Start, End, Target string
	BillCycleDay       int `json:"bill_cycle_day"`
}

// checkBilledOnRun lists the periods that a run on `target` bills: in advance those that have started, in arrears those
// that have ended. The anchor is the bill cycle day, in the month of the start or the last one before it that has that
// day. An interval of days has no day of month and counts from the start.
func checkBilledOnRun(t *testing.T, in billedOnRunInput, want struct{ Periods []span }) {
	require.Contains(t, []string{"in_advance", "in_arrear"}, in.Mode)
	start, target := instant(t, in.Start, time.UTC), instant(t, in.Target, time.UTC)
	grid := period.Schedule{Anchor: start, Interval: interval(t, in.Interval, in.Count)}
	grid = onBillCycleDay(grid, in.BillCycleDay)
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
	require.Equal(t, append([]span{}, want.Periods...), got)
}

// onBillCycleDay moves the anchor of a grid of months or years to that day; 0 is none.
func onBillCycleDay(s period.Schedule, day int) period.Schedule {
	if day > 0 && (s.Interval.Unit == period.Month || s.Interval.Unit == period.Year) {
		s.Anchor = dayOfMonth(s.Anchor, day)
	}
	return s
}

// dayOfMonth returns the day in the latest month, up to that of `in`, that has it.
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

type occurrenceInput struct {
	gridInput
	At, Boundary string
}

func checkOccurrence(t *testing.T, c peercases.Case, in occurrenceInput, want struct{ At string }) {
	require.Contains(t, []string{"inclusive", "exclusive"}, in.Boundary)
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

func checkFloor(t *testing.T, in struct{ Unit, At, Timezone string }, want struct{ Result string }) {
	loc := zone(t, in.Timezone)
	grid := calendarGrid(loc, interval(t, in.Unit, 1))
	requireInstant(t, want.Result, grid.Boundary(grid.IndexAt(instant(t, in.At, loc))), loc)
}

type windowStartsInput struct{ Window, Start, End, Anchor, Timezone string }

type windowStartsResult struct {
	Count  int
	Starts []string
}

func checkWindowStarts(t *testing.T, in windowStartsInput, want windowStartsResult) {
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

func checkCalendarAnchor(t *testing.T, in struct{ Interval, Start, Timezone string }, want struct{ Anchor string }) {
	loc := zone(t, in.Timezone)
	grid := calendarGrid(loc, interval(t, in.Interval, 1))
	requireInstant(t, want.Anchor, after(grid, instant(t, in.Start, loc)), loc)
}

type localDateSequenceInput struct {
	Interval     string
	Count        int
	Timezone     string
	Start        string
	TrialDays    int `json:"trial_days"`
	BillCycleDay int `json:"bill_cycle_day"`
}

type localDateSequenceResult struct {
	TrialEnd   string `json:"trial_end"`
	Boundaries []string
}

func checkLocalDateSequence(t *testing.T, in localDateSequenceInput, want localDateSequenceResult) {
	loc := zone(t, in.Timezone)
	trialEnd := period.AddDays(instant(t, in.Start, loc), loc, in.TrialDays)
	if want.TrialEnd != "" {
		require.Equal(t, want.TrialEnd, trialEnd.In(loc).Format(time.DateOnly))
	}
	grid := period.Schedule{Anchor: trialEnd.In(loc), Location: loc, Interval: interval(t, in.Interval, in.Count)}
	grid = onBillCycleDay(grid, in.BillCycleDay)
	at := trialEnd
	for n, date := range want.Boundaries {
		require.Equal(t, date, at.In(loc).Format(time.DateOnly), "boundary %d", n)
		at = after(grid, at)
	}
}
