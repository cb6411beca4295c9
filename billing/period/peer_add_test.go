package period_test

import (
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/period"
)

type addIntervalInput struct {
	At, Timezone, Interval string
	N                      int
	AnchorDay              int `json:"anchor_day"`
}

func checkAddInterval(t *testing.T, in addIntervalInput, want struct{ Result string }) {
	loc := zone(t, in.Timezone)
	at := instant(t, in.At, loc)
	grid := period.Schedule{Anchor: at, Location: loc, Interval: interval(t, in.Interval, 1)}
	n := in.N
	if in.AnchorDay > 0 {
		grid.Anchor = dayOfMonth(at, in.AnchorDay)
		n += grid.IndexAt(at)
	}
	requireInstant(t, want.Result, grid.Boundary(n), loc)
	if grid.Interval == (period.Interval{Unit: period.Day, Count: 1}) {
		requireInstant(t, want.Result, period.AddDays(at, loc, in.N), loc)
	}
}

type addIntervalSeriesInput struct {
	At, Timezone, Interval string
	N                      []int
}

func checkAddIntervalSeries(t *testing.T, in addIntervalSeriesInput, want struct{ Results []string }) {
	loc := zone(t, in.Timezone)
	grid := period.Schedule{Anchor: instant(t, in.At, loc), Location: loc, Interval: interval(t, in.Interval, 1)}
	require.Len(t, in.N, len(want.Results))
	for i, n := range in.N {
		requireInstant(t, want.Results[i], grid.Boundary(n), loc)
	}
}

var isoDuration = regexp.MustCompile(
	`^(-?)P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)W)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+)S)?)?$`)

// checkAddDuration adds years and months in one step, then days, then elapsed time.
func checkAddDuration(t *testing.T, in struct{ At, Timezone, Duration string }, want struct{ Result string }) {
	loc := zone(t, in.Timezone)
	fields := isoDuration.FindStringSubmatch(in.Duration)
	require.NotNil(t, fields, "duration %q", in.Duration)
	number := func(i int) int {
		n, _ := strconv.Atoi(fields[i+1]) // an absent part is an empty string and counts as 0
		if fields[1] == "-" {
			return -n
		}
		return n
	}
	months := period.Schedule{
		Anchor: instant(t, in.At, loc), Location: loc, Interval: period.Interval{Unit: period.Month, Count: 1},
	}
	got := period.AddDays(months.Boundary(12*number(1)+number(2)), loc, 7*number(3)+number(4))
	got = got.Add(time.Duration(number(5))*time.Hour + time.Duration(number(6))*time.Minute +
		time.Duration(number(7))*time.Second)
	requireInstant(t, want.Result, got, loc)
}

type wholePeriodsInput struct {
	From, To, Timezone, Interval string
	Count                        int
}

type wholePeriodsResult struct {
	WholePeriods int `json:"whole_periods"`
}

func checkWholePeriods(t *testing.T, in wholePeriodsInput, want wholePeriodsResult) {
	loc := zone(t, in.Timezone)
	grid := period.Schedule{Anchor: instant(t, in.From, loc), Location: loc, Interval: interval(t, in.Interval, in.Count)}
	require.Equal(t, want.WholePeriods, grid.IndexAt(instant(t, in.To, loc)))
}
