package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
	"perennial/billing/usage"
)

// A change waited for a payment and came after one that ended all counting. It begins no segment in the time of a
// closed one.
func TestFollow_BehindAClosedSegment(t *testing.T) {
	t.Parallel()
	c := to(calls, change(without, func(*subscription.Subscription) {}))
	c.Before.LateUsageUntil, c.At = on(2, 10).Add(usage.MaxAge), on(2, 5)
	s, closed, err := c.Follow()
	require.NoError(t, err)
	require.Empty(t, closed)
	require.Equal(t, on(2, 10), s.MeteredSince)
}
