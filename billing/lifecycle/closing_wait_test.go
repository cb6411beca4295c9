package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
)

// A command reads the time before it waits for the subscription's lock. A command that waited for the renewal once
// ended the subscription before its new period began, and refunded nothing of it.
func TestCancel_RefundAfterWaitingForRenewal(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	boundary := l.sub().CurrentPeriod.End
	l.until(boundary)
	l.result(answer.Succeeded)
	l.now = boundary.Add(-10 * time.Millisecond)

	_, err := l.apply(lifecycle.Cancel{Immediate: true, RefundUnused: true})

	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), l.refunded())
	require.Equal(t, boundary, l.sub().CanceledAt)
}
