package lifecycle_test

import (
	"slices"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// begunSteps are the steps that need a subscription whose first invoice is paid.
var begunSteps = []int{13, 14, 15, 16, 20, 21, 23, 25, 26, 27, 28, 29, 30, 31, 32, 33, 35, 36, 39, 40, 42, 43}

// refusesIncomplete reports whether a step is impossible because the first payment is pending.
func (l *life) refusesIncomplete(step int) bool {
	if l.sub().Status == subscription.Incomplete && l.sub().Unbegun() {
		l.advance()
	}
	if l.sub().Status != subscription.Incomplete || !slices.Contains(begunSteps, step) {
		return false
	}
	l.advance() // its time to pay may have ended
	if l.sub().Status == subscription.Incomplete {
		_, err := l.apply([]lifecycle.Command{lifecycle.Cancel{}, lifecycle.MoveAnchor{}, lifecycle.Pause{}}[step%3])
		require.ErrorIs(l.t, err, subscribing.ErrIncomplete)
	}
	return true
}
