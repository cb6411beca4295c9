package subscribing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/subscription"
)

// A payment elsewhere is not charged again: within that period a change waits for the end or has no proration. The next
// period has no such limit.
func TestChangePlan_PaidElsewhere(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	moved, none := s, f
	moved.PaidElsewhereIndex, moved.PeriodIndex, none.Paid = 1, 1, nil

	for _, how := range []subscription.ProrationBehavior{"", subscription.NextInvoice} {
		_, err := With(moved, none).ChangePlan(Change{Plan: &pro, Proration: how}, now)
		require.ErrorIs(t, err, ErrPaidElsewhere)
	}
	for _, c := range []Change{{Plan: &pro, AtPeriodEnd: true}, {Plan: &pro, Proration: subscription.NoProration}} {
		d, err := With(moved, none).ChangePlan(c, now)
		require.NoError(t, err)
		require.Empty(t, d.Issue)
	}
	s.PaidElsewhereIndex, s.PeriodIndex = 1, 2
	f.Paid[0].PeriodIndex, f.Paid[0].Lines[0].PeriodIndex = 2, 2
	d, err := With(s, f).ChangePlan(Change{Plan: &pro}, now)
	require.NoError(t, err)
	require.NotEmpty(t, d.Issue)
}
