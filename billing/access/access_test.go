package access_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/subscription"
)

func TestOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	before, later, retry := now.Add(-time.Hour), now.Add(time.Hour), now.Add(3*time.Hour)
	for name, tc := range map[string]struct {
		sub  subscription.Subscription
		want access.Answer
	}{
		"trial": {
			subscription.Subscription{Status: subscription.Trialing, TrialEndsAt: later},
			access.Answer{Allowed: true, Reason: access.Trial, Until: later},
		},
		"a trial's end that is late locks nobody out": {
			subscription.Subscription{Status: subscription.Trialing, TrialEndsAt: before},
			access.Answer{Allowed: true, Reason: access.Trial, Until: before},
		},
		"never paid": {subscription.Subscription{Status: subscription.Active}, access.Answer{Reason: access.Unpaid}},
		"paid": {
			subscription.Subscription{Status: subscription.Active, ActivatedAt: before, PaidThrough: later},
			access.Answer{Allowed: true, Reason: access.Paid, Until: later},
		},
		"a renewal that is retried": {
			subscription.Subscription{
				Status: subscription.Active, ActivatedAt: before, PaidThrough: now,
				NextAction: subscription.ActionPaymentRetry, NextActionAt: retry,
			},
			access.Answer{Allowed: true, Reason: access.Retrying, Until: retry},
		},
		"a renewal that is late": {
			subscription.Subscription{
				Status: subscription.Active, ActivatedAt: before, PaidThrough: now,
				NextAction: subscription.ActionRenewal, NextActionAt: now,
			},
			access.Answer{Allowed: true, Reason: access.Retrying},
		},
		"past due": {
			subscription.Subscription{Status: subscription.PastDue, ActivatedAt: before, PaidThrough: before},
			access.Answer{Reason: access.PastDue},
		},
		"past due for an upgrade, while the period is paid": {
			subscription.Subscription{Status: subscription.PastDue, ActivatedAt: before, PaidThrough: later},
			access.Answer{Allowed: true, Reason: access.Paid, Until: later},
		},
		"canceled at once": {
			subscription.Subscription{Status: subscription.Canceled, ActivatedAt: before, PaidThrough: later},
			access.Answer{Reason: access.Canceled},
		},
	} {
		require.Equal(t, tc.want, access.Of(tc.sub, now), name)
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	soon := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	short := access.Answer{Allowed: true, Reason: access.Paid, Until: soon, SubscriptionID: "a"}
	long := access.Answer{Allowed: true, Reason: access.Paid, Until: soon.Add(time.Hour), SubscriptionID: "b"}
	due := access.Answer{Reason: access.PastDue, SubscriptionID: "c"}
	gone := access.Answer{Reason: access.Canceled, SubscriptionID: "d"}

	require.Equal(t, long, access.Best([]access.Answer{gone, short, due, long}))
	require.Equal(t, due, access.Best([]access.Answer{gone, due}))
	require.Equal(t, access.Answer{Reason: access.NoSubscription}, access.Best(nil))
}
