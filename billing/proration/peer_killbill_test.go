package proration_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/internal/testkit/peercases"
)

var intervals = map[string]period.Interval{
	"day":         {Unit: period.Day, Count: 1},
	"week":        {Unit: period.Week, Count: 1},
	"two_weeks":   {Unit: period.Week, Count: 2},
	"thirty_days": {Unit: period.Day, Count: 30},
	"month":       {Unit: period.Month, Count: 1},
	"quarter":     {Unit: period.Month, Count: 3},
	"half_year":   {Unit: period.Month, Count: 6},
	"year":        {Unit: period.Year, Count: 1},
}

func day(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, s)
	require.NoError(t, err)
	return at
}

func dates(t *testing.T, start, end string) period.Period {
	t.Helper()
	return period.Period{Start: day(t, start), End: day(t, end)}
}

// measureOf is the measure of a rule.
func measureOf(c peercases.Case) proration.Measure {
	if c.Rule == "kb-fixed-30-day" {
		return proration.Fixed30
	}
	return proration.Day
}

type calendarDaysInput struct {
	Start, End time.Time
	TimeZone   string
}

// checkCalendarDays counts the dates as written, and those of the zone where the case says that they agree.
func checkCalendarDays(t *testing.T, c peercases.Case, in calendarDaysInput, want struct{ Days int64 }) {
	require.Equal(t, want.Days, proration.Day.Units(in.Start, in.End, in.Start.Location()))
	if c.Has("local-dates") {
		loc, err := period.LoadLocation(in.TimeZone)
		require.NoError(t, err)
		require.Equal(t, want.Days, proration.Day.Units(in.Start, in.End, loc))
	}
}

type fixedMonthDaysInput struct {
	Start, End string
	Fixed      int `json:"fixed_days_in_month"` // 30: otherMonth decides about it
}

func checkFixedMonthDays(t *testing.T, in fixedMonthDaysInput, want struct{ Days int64 }) {
	require.Equal(t, want.Days, proration.Fixed30.Units(day(t, in.Start), day(t, in.End), nil))
}

type ratioInput struct {
	Interval string
	Previous string `json:"previous_cycle_date"`
	End      string
	Start    string
	Next     string `json:"next_cycle_date"`
	Fixed    int    `json:"fixed_days_in_month"`
}

// checkRatio divides days by those of the cycle that begins at the previous cycle date, or ends at the next one. A
// ratio above one is several cycles long, which we would bill one by one.
func checkRatio(t *testing.T, in ratioInput, want struct{ Ratio string }) {
	measure := proration.Day
	if in.Fixed == 30 {
		measure = proration.Fixed30
	}
	cycle := period.Schedule{Interval: intervals[in.Interval]}
	var units, length int64
	if in.Next != "" {
		cycle.Anchor = day(t, in.Next)
		of := cycle.Period(-1)
		units, length = measure.Units(day(t, in.Start), of.End, nil), measure.Units(of.Start, of.End, nil)
	} else {
		cycle.Anchor = day(t, in.Previous)
		of := cycle.Period(0)
		units, length = measure.Units(of.Start, day(t, in.End), nil), measure.Units(of.Start, of.End, nil)
	}
	require.Equal(t, ratio9(t, want.Ratio), money.Part(money.Minor(units)*billion, 0, 1, length))
}

const billion = 1_000_000_000

func ratio9(t *testing.T, s string) money.Minor {
	t.Helper()
	d, err := money.ParseDecimal(s)
	require.NoError(t, err)
	n, err := d.Mul(money.Whole(billion)).Round("JPY")
	require.NoError(t, err)
	return n
}

type stubInput struct {
	Interval string
	Start    string `json:"period_start"`
	End      string `json:"period_end"`
	Price    string
	From     string `json:"charged_from"`
	To       string `json:"charged_to"`
	Full     int    `json:"full_periods_on_invoice"`
}

type stubResult struct {
	Amount *string
	Total  *string `json:"invoice_total"`
}

// checkStubCharge compares with a ratio that the peer rounds to 9 decimals, which no amount here can feel.
func checkStubCharge(t *testing.T, c peercases.Case, in stubInput, want stubResult) {
	span, err := measureOf(c).Span(dates(t, in.Start, in.End), dates(t, in.From, in.To), nil)
	require.NoError(t, err)
	price := amount(t, in.Price, "USD")
	expected := want.Amount
	if expected == nil {
		expected = want.Total
	}
	require.NotNil(t, expected)
	requireShare(t, amount(t, *expected, "USD")-money.Minor(in.Full)*price, price, span)
}

type repairInput struct {
	Interval string
	Start    string `json:"period_start"`
	End      string `json:"period_end"`
	Amount   string
	At       string `json:"cancel_or_change_date"`
	Other    string `json:"other_charges_on_invoice"`
}

type repairResult struct {
	Credit *string
	Total  *string `json:"invoice_total"`
}

// checkRepairCredit gives back the rest of a period: the day of the change is not used.
func checkRepairCredit(t *testing.T, c peercases.Case, in repairInput, want repairResult) {
	rest, err := measureOf(c).Rest(dates(t, in.Start, in.End), day(t, in.At), nil)
	require.NoError(t, err)
	unused, err := measureOf(c).Unused(dates(t, in.Start, in.End), day(t, in.At), nil)
	require.NoError(t, err)
	require.Equal(t, rest, unused)
	var expected money.Minor
	if want.Total != nil {
		expected = amount(t, in.Other, "USD") - amount(t, *want.Total, "USD")
	} else {
		require.NotNil(t, want.Credit)
		expected = -amount(t, *want.Credit, "USD")
	}
	requireShare(t, expected, amount(t, in.Amount, "USD"), rest)
}

type pauseInput struct {
	Amount string
	Start  string `json:"period_start"`
	End    string `json:"period_end"`
	From   string `json:"paused_from"`
	To     string `json:"paused_to"`
}

func checkPauseCredit(t *testing.T, c peercases.Case, in pauseInput, want struct{ Credit string }) {
	span, err := measureOf(c).Span(dates(t, in.Start, in.End), dates(t, in.From, in.To), nil)
	require.NoError(t, err)
	requireShare(t, amount(t, want.Credit, "USD"), amount(t, in.Amount, "USD"), span)
}
