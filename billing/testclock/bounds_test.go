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
	c := testclock.Clock{Status: testclock.Ready, NowAt: start}
	_, err := c.Advance(start.AddDate(10, 0, 0).Add(time.Second))
	require.Equal(t, "out_of_range", fault.From(err).Code)
	require.Equal(t, "to", fault.From(err).Param)
	c, err = c.Advance(start.AddDate(10, 0, 0))
	require.NoError(t, err)
	require.Equal(t, testclock.Advancing, c.Status)
}

func TestStop_EndsWhereTheClockStands(t *testing.T) {
	t.Parallel()
	still := testclock.Clock{Status: testclock.Ready, NowAt: start}
	require.Equal(t, still, still.Stop())
	moving, err := still.Advance(start.AddDate(1, 0, 0))
	require.NoError(t, err)
	moving.NowAt = start.AddDate(0, 1, 0) // it has come as far as this
	stopped := moving.Stop()
	require.Equal(t, moving.NowAt, stopped.Next(start.AddDate(0, 2, 0)), "what is due later stays due later")
	require.Equal(t, moving.NowAt, stopped.Finish(nil).NowAt)
}
