package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

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

// At any time of a period that was paid elsewhere, a cancellation succeeds and gives nothing back; one that asks for a
// refund is refused, so that nobody takes its success for a refund. A pause is the same, and ends the period.
func TestCancel_PaidElsewhere(t *testing.T) {
	t.Parallel()
	s, f, _ := paidTeam(t)
	s.PaidElsewhereIndex, f.Paid = s.PeriodIndex, nil
	rapid.Check(t, func(t *rapid.T) {
		length := int64(s.CurrentPeriod.End.Sub(s.CurrentPeriod.Start)/time.Second) - 1
		now := s.CurrentPeriod.Start.Add(time.Duration(rapid.Int64Range(0, length).Draw(t, "second")) * time.Second)
		refund := Cancellation{Immediate: true, RefundUnused: true}

		_, err := With(s, f).Cancel(refund, now)
		require.ErrorIs(t, err, ErrRefundElsewhere)
		for _, c := range []Cancellation{{}, {Immediate: true}} {
			d, err := With(s, f).Cancel(c, now)
			require.NoError(t, err)
			require.Empty(t, d.Issue)
		}

		if now.Equal(s.CurrentPeriod.Start) {
			return
		}
		_, err = With(s, f).Pause(Pausing{CreditUnused: true}, now)
		require.ErrorIs(t, err, ErrPausedElsewhere)
		paused, err := With(s, f).Pause(Pausing{}, now)
		require.NoError(t, err)
		d, err := With(paused.Subscription, f).Cancel(refund, now)
		require.NoError(t, err)
		require.Empty(t, d.Issue)
	})
	s.PaidElsewhereIndex, s.PeriodIndex = 1, 2
	_, err := With(s, f).Cancel(Cancellation{Immediate: true, RefundUnused: true}, s.CurrentPeriod.Start.Add(time.Hour))
	require.NoError(t, err, "a later period")
}
