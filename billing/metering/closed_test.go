package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metering"
	"perennial/billing/usage"
)

// An ended subscription accepts no records once the draft of its end is counted; no other draft closes it.
func TestClosed(t *testing.T) {
	t.Parallel()
	running := february(without)
	running.LateUsageUntil = on(3, 15)
	require.Equal(t, running, metering.Closed(running, on(3, 15)), "it goes on")
	ended := running
	cancels(on(2, 20))(&ended)
	require.Equal(t, ended, metering.Closed(ended, on(2, 20).Add(-1)), "the draft of an earlier renewal")
	require.Equal(t, on(2, 20), metering.Closed(ended, on(2, 20)).LateUsageUntil)
	early := ended
	early.LateUsageUntil = on(2, 10)
	require.Equal(t, early, metering.Closed(early, on(2, 20)), "none could come any more")
}

// No invoice follows that of the end, nor one of a time for which records can no longer be late.
func TestLast(t *testing.T) {
	t.Parallel()
	running := february(without)
	running.LateUsageUntil = on(3, 15)
	require.False(t, metering.Last(running, on(3, 15).Add(-1)))
	require.True(t, metering.Last(running, on(3, 15)))
	ended := running
	cancels(on(2, 20))(&ended)
	require.False(t, metering.Last(ended, on(2, 20).Add(-1)))
	require.True(t, metering.Last(ended, on(2, 20)))
	require.True(t, metering.Last(metering.Closed(ended, on(2, 20)), on(2, 20)), "repeated")
}

// Only the segment that the end of a subscription closed includes later records.
func TestLate(t *testing.T) {
	t.Parallel()
	ended := february(without)
	of := metering.Segment{Start: on(2, 1), End: on(2, 20)}
	require.Zero(t, metering.Late(ended, of))
	cancels(on(2, 20))(&ended)
	require.Equal(t, on(2, 20).Add(2*usage.MaxAhead), metering.Late(ended, of))
	of.End = on(2, 19)
	require.Zero(t, metering.Late(ended, of))
}
