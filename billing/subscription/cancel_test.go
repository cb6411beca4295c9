package subscription

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
)

func TestCancelLeavesNothingWaiting(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(PastDue)
	s.CancelAtPeriodEnd, s.PendingPlanID, s.MethodChangedAt = true, pro.ID, now

	d, err := s.Cancel(f, Cancellation{Immediate: true, Reason: "moved"}, now)

	require.NoError(t, err)
	require.True(t, d.StopCollection)
	got := d.Subscription
	require.Equal(t, now, got.CanceledAt)
	require.Equal(t, "moved", got.CancelReason)
	require.False(t, got.CancelAtPeriodEnd)
	require.Empty(t, got.PendingPlanID)
	require.Zero(t, got.PastDueAt)
	require.Zero(t, got.MethodChangedAt)
	require.Equal(t, "moved", d.Events[0].Data["cancelReason"])
	action, at := got.Next(&collection.State{Phase: collection.Scheduled, RetryAt: now}, settings)
	require.Equal(t, ActionNone, action)
	require.Zero(t, at)
}

func TestCancelAtPeriodEndTwiceAndBack(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(Active)
	_, err := s.Reactivate(now)
	require.Equal(t, ErrNotScheduled, err)
	once, err := s.Cancel(f, Cancellation{Reason: "price"}, now)
	require.NoError(t, err)
	require.True(t, once.Subscription.CancelAtPeriodEnd)
	twice, err := once.Subscription.Cancel(f, Cancellation{Reason: "price"}, now)
	require.NoError(t, err)
	require.Equal(t, Decision{Subscription: once.Subscription}, twice, "asked again, nothing is announced")
	back, err := once.Subscription.Reactivate(now)
	require.NoError(t, err)
	require.Equal(t, s, back.Subscription)
}
