package proration_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/internal/testkit/peercases"
)

type cyclesInput struct {
	Interval, Mode string
	Count          int
	Start          string
	End            *string
	Target         string
	CycleDay       int `json:"bill_cycle_day"`
}

// spans returns the spans of all cycles that a run on the target day bills. The first cycle date is the cycle day of
// the start's month, or one interval later; time before it is divided by the interval that ends there.
func (in cyclesInput) spans(t *testing.T, measure proration.Measure) []proration.Span {
	t.Helper()
	grid := in.grid(t)
	start, target := day(t, in.Start), day(t, in.Target)
	use := period.Period{Start: start, End: period.Latest}
	if in.End != nil {
		use.End = day(t, *in.End)
	}
	first := grid.IndexAt(start)
	var spans []proration.Span
	for n := first; ; n++ {
		of := grid.Period(n)
		if n == first && !of.Start.Equal(start) {
			of = period.Schedule{Anchor: of.End, Interval: grid.Interval}.Period(-1)
		}
		part := period.Period{Start: later(of.Start, start), End: of.End}
		if use.End.Before(part.End) {
			part.End = use.End
		}
		due := part.Start
		if in.Mode == "in_arrear" {
			due = part.End
		}
		if !part.Start.Before(use.End) || due.After(target) {
			return spans
		}
		span, err := measure.Span(of, part, nil)
		require.NoError(t, err)
		spans = append(spans, span)
	}
}

// grid has a boundary on the cycle day of the start's month, and an anchor in a month that is long enough for the day.
func (in cyclesInput) grid(t *testing.T) period.Schedule {
	t.Helper()
	interval := intervals[in.Interval]
	interval.Count *= max(in.Count, 1)
	require.NoError(t, interval.Validate())
	month := day(t, in.Start).AddDate(0, 0, 1-day(t, in.Start).Day())
	step := period.Schedule{Anchor: month, Interval: interval}
	for n := range 48 {
		anchor := step.Boundary(-n).AddDate(0, 0, in.CycleDay-1)
		if anchor.Day() == in.CycleDay || n == 47 {
			return period.Schedule{Anchor: anchor, Interval: interval}
		}
	}
	return step
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// cyclesResult is a number of cycles, as one decimal, as whole ones and fractions, or both.
type cyclesResult struct {
	Cycles    string
	Whole     *int64
	Fractions [][2]int64
}

// checkCycles compares sums: the same number can be put together of other fractions, as of a whole cycle and 31/31.
func checkCycles(t *testing.T, c peercases.Case, in cyclesInput, want cyclesResult) {
	require.Contains(t, []string{"in_advance", "in_arrear"}, in.Mode, "a mode that is not known")
	rounded, exact := money.Minor(0), new(big.Rat)
	for _, span := range in.spans(t, measureOf(c)) {
		rounded += span.Of(billion)
		exact.Add(exact, big.NewRat(span.Units(), span.Length))
	}
	require.False(t, want.Whole == nil && want.Fractions == nil && want.Cycles == "", "nothing is asserted")
	if want.Whole != nil || want.Fractions != nil {
		sum := new(big.Rat)
		if want.Whole != nil {
			sum.SetInt64(*want.Whole)
		}
		for _, fraction := range want.Fractions {
			sum.Add(sum, big.NewRat(fraction[0], fraction[1]))
		}
		require.Zero(t, sum.Cmp(exact), "%s, not %s", exact, sum)
	}
	if want.Cycles != "" {
		require.Equal(t, ratio9(t, want.Cycles), rounded)
	}
}

type segment struct {
	Interval string
	Price    string
	Start    string
	End      *string
	CycleDay int `json:"bill_cycle_day"`
}

type segmentsInput struct {
	Old *struct {
		Interval string
		Start    string `json:"period_start"`
		End      string `json:"period_end"`
		Amount   string
	}
	At  string `json:"change_date"`
	New *struct {
		Interval string
		Amount   string
		Start    string `json:"period_start"`
	}
	Segments []segment
	Target   string
}

type segmentsResult struct {
	Net   *string
	Total *string `json:"invoice_total"`
}

// checkChangeOfSegments adds up what each segment bills; a change begins a new period of the new price.
func checkChangeOfSegments(t *testing.T, c peercases.Case, in segmentsInput, want segmentsResult) {
	var sum money.Minor
	if in.Old != nil {
		rest, err := measureOf(c).Rest(dates(t, in.Old.Start, in.Old.End), day(t, in.At), nil)
		require.NoError(t, err)
		require.Equal(t, in.At, in.New.Start)
		sum = amount(t, in.New.Amount, "USD") - rest.Of(amount(t, in.Old.Amount, "USD"))
	}
	for _, s := range in.Segments {
		cycles := cyclesInput{Interval: s.Interval, Start: s.Start, End: s.End, Target: in.Target, CycleDay: s.CycleDay}
		for _, span := range cycles.spans(t, measureOf(c)) {
			sum += span.Of(amount(t, s.Price, "USD"))
		}
	}
	expected := want.Net
	if expected == nil {
		expected = want.Total
	}
	require.NotNil(t, expected)
	require.Equal(t, amount(t, *expected, "USD"), sum)
}
