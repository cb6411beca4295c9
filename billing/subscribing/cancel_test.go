package subscribing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/subscription"
)

// The period's end takes no time away, so there is nothing to refund.
func TestCancel_RefundNeedsImmediateEffect(t *testing.T) {
	t.Parallel()
	for _, status := range []subscription.Status{trialing, active, pastDue, canceled} {
		s, f, now := inStatus(status)
		d, err := With(s, f).Cancel(Cancellation{RefundUnused: true}, now)
		require.Equal(t, "refund_needs_immediate_effect", fault.From(err).Code)
		require.Equal(t, "refund", fault.From(err).Param)
		require.Zero(t, d)
	}
}

// A second request without a reason keeps the first one's reason. Only reactivation removes it.
func TestCancel_KeepsFirstReason(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	first, err := With(s, f).Cancel(Cancellation{Reason: "price"}, now)
	require.NoError(t, err)

	again, err := With(first.Subscription, f).Cancel(Cancellation{}, now)
	require.NoError(t, err)
	require.Equal(t, Decision{Subscription: first.Subscription}, again, "nothing has changed")

	other, err := With(first.Subscription, f).Cancel(Cancellation{Reason: "moved"}, now)
	require.NoError(t, err)
	require.Equal(t, "moved", other.Subscription.CancelReason)

	atOnce, err := With(first.Subscription, f).Cancel(Cancellation{Immediate: true}, now)
	require.NoError(t, err)
	require.Equal(t, "price", atOnce.Subscription.CancelReason)

	reactivated, err := With(first.Subscription, costing.Facts{}).Reactivate(now)
	require.NoError(t, err)
	afresh, err := With(reactivated.Subscription, f).Cancel(Cancellation{}, now)
	require.NoError(t, err)
	require.Empty(t, afresh.Subscription.CancelReason)
}

func TestCancel_DropsPendingChange(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.PastDue)
	s.CancelAtPeriodEnd, s.PendingPlanID, s.MethodChangedAt = true, pro.ID, now

	d, err := With(s, f).Cancel(Cancellation{Immediate: true, Reason: "moved"}, now)

	require.NoError(t, err)
	require.True(t, d.StopCollection)
	got := d.Subscription
	require.Equal(t, now, got.CanceledAt)
	require.Equal(t, "moved", got.CancelReason)
	require.False(t, got.CancelAtPeriodEnd)
	require.Empty(t, got.PendingPlanID)
	require.Zero(t, got.PastDueAt)
	require.Zero(t, got.MethodChangedAt)
	require.Equal(t, event.SubscriptionCanceled{Subscription: got.Announced(), CancelReason: "moved"}, d.Events[0].Data)
	action, at := got.Next(&collection.State{Phase: collection.Scheduled, RetryAt: now}, settings)
	require.Equal(t, subscription.ActionNone, action)
	require.Zero(t, at)
}

// The change to the present plan is not paid yet. The price of the former plan does not pay for the present one's time.
func TestCancel_NoRefundForUnpaidPlan(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	f.Open, f.Paid = nil, []invoice.Invoice{f.Open[0].Settle(now)}
	s.PlanID, f.Plan = pro.ID, pro
	s = With(s, f).Itemized()

	d, err := With(s, f).Cancel(Cancellation{Immediate: true, RefundUnused: true}, now)

	require.NoError(t, err)
	require.Empty(t, d.Issue)
}

func TestCancel_AtPeriodEndTwiceThenReactivate(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	_, err := With(s, costing.Facts{}).Reactivate(now)
	require.Equal(t, ErrNotScheduled, err)
	once, err := With(s, f).Cancel(Cancellation{Reason: "price"}, now)
	require.NoError(t, err)
	require.True(t, once.Subscription.CancelAtPeriodEnd)
	twice, err := With(once.Subscription, f).Cancel(Cancellation{Reason: "price"}, now)
	require.NoError(t, err)
	require.Equal(t, Decision{Subscription: once.Subscription}, twice, "asked again, nothing is announced")
	reactivated, err := With(once.Subscription, costing.Facts{}).Reactivate(now)
	require.NoError(t, err)
	require.Equal(t, s, reactivated.Subscription)
}
