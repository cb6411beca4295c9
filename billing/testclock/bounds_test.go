package testclock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/testclock"
)

var start = time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)

func TestAdvance_TenYearsAtMost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to   time.Time
		code string // empty: it advances
	}{
		"a second":          {start.Add(time.Second), ""},
		"ten years":         {start.AddDate(10, 0, 0), ""},
		"longer":            {start.AddDate(10, 0, 0).Add(time.Second), "out_of_range"},
		"the year 9999":     {time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), "out_of_range"},
		"where it stands":   {start, "test_clock_backwards"},
		"back by a second":  {start.Add(-time.Second), "test_clock_backwards"},
		"back by ten years": {start.AddDate(-10, 0, 0), "test_clock_backwards"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			moved, err := testclock.Clock{Status: testclock.Ready, NowAt: start}.Advance(c.to)
			if c.code == "" {
				require.NoError(t, err)
				require.Equal(t, testclock.Clock{Status: testclock.Advancing, NowAt: start, TargetAt: c.to}, moved)
				return
			}
			require.Equal(t, c.code, fault.From(err).Code)
			require.Equal(t, "to", fault.From(err).Param)
			require.Equal(t, fault.Invalid, fault.From(err).Kind, "422")
		})
	}
}

func TestDelete_EndsTheAdvance(t *testing.T) {
	t.Parallel()
	moving, err := testclock.Clock{Status: testclock.Ready, NowAt: start}.Advance(start.AddDate(1, 0, 0))
	require.NoError(t, err)
	require.Equal(t, testclock.Clock{Status: testclock.Ready, NowAt: start, DeletedAt: start.Add(time.Hour)},
		moving.Delete(start.Add(time.Hour)))
}

func TestStop_EndsWhereTheClockStands(t *testing.T) {
	t.Parallel()
	still := testclock.Clock{Status: testclock.Ready, NowAt: start}
	require.Equal(t, still, still.Stop())
	moving, err := still.Advance(start.AddDate(1, 0, 0))
	require.NoError(t, err)
	moving.NowAt = start.AddDate(0, 1, 0) // the advance has reached this time
	stopped := moving.Stop()
	require.Equal(t, moving.NowAt, stopped.Next(start.AddDate(0, 2, 0)), "what is due later stays due later")
	require.Equal(t, moving.NowAt, stopped.Finish(nil).NowAt)
}

func TestStep_ReadyWhereNothingIsDueAtTheTarget(t *testing.T) {
	t.Parallel()
	target := start.AddDate(0, 3, 0)
	moving := testclock.Clock{Status: testclock.Advancing, NowAt: start, TargetAt: target}
	for name, c := range map[string]struct {
		due  time.Time
		want testclock.Clock
	}{
		"nothing due":  {time.Time{}, testclock.Clock{Status: testclock.Ready, NowAt: target}},
		"due after it": {target.Add(time.Second), testclock.Clock{Status: testclock.Ready, NowAt: target}},
		"due at it":    {target, testclock.Clock{Status: testclock.Advancing, NowAt: target, TargetAt: target}},
		"due on the way": {start.AddDate(0, 1, 0),
			testclock.Clock{Status: testclock.Advancing, NowAt: start.AddDate(0, 1, 0), TargetAt: target}},
		"due and left behind": {
			start.AddDate(0, -1, 0), testclock.Clock{Status: testclock.Advancing, NowAt: start, TargetAt: target},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, moving.Step(c.due))
		})
	}
}
