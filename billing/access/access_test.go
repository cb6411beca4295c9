package access_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/collection"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

func TestOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	before, later, retry := now.Add(-time.Hour), now.Add(time.Hour), now.Add(3*time.Hour)
	active := subscription.Subscription{
		Status: subscription.Active, ActivatedAt: before, CurrentPeriod: period.Period{Start: before, End: later},
	}
	collecting := func(phase collection.Phase, attempts int) *collection.State {
		return &collection.State{Phase: phase, Attempts: attempts}
	}
	with := func(change func(*subscription.Subscription)) subscription.Subscription {
		s := active
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		sub        subscription.Subscription
		collecting *collection.State
		want       access.Answer
	}{
		"trial": {
			with(func(s *subscription.Subscription) { s.Status, s.TrialEndsAt = subscription.Trialing, later }), nil,
			access.Answer{Allowed: true, Reason: access.Trial, Until: later},
		},
		"a trial's end that is late locks nobody out": {
			with(func(s *subscription.Subscription) { s.Status, s.TrialEndsAt = subscription.Trialing, before }), nil,
			access.Answer{Allowed: true, Reason: access.Trial},
		},
		"never paid": {
			with(func(s *subscription.Subscription) { s.ActivatedAt = time.Time{} }), collecting(collection.Charging, 1),
			access.Answer{Reason: access.Unpaid},
		},
		"paid": {active, nil, access.Answer{Allowed: true, Reason: access.Paid, Until: later}},
		"a renewal that is late": {
			with(func(s *subscription.Subscription) { s.CurrentPeriod.End = before }), nil,
			access.Answer{Allowed: true, Reason: access.Paid},
		},
		"a renewal that is being paid": {
			active, collecting(collection.Charging, 1), access.Answer{Allowed: true, Reason: access.Pending},
		},
		"a renewal that failed": {
			with(func(s *subscription.Subscription) {
				s.NextAction, s.NextActionAt = subscription.ActionPaymentRetry, retry
			}), collecting(collection.Scheduled, 1), access.Answer{Allowed: true, Reason: access.Retrying, Until: retry},
		},
		"a renewal that is tried again": {
			active, collecting(collection.Charging, 2), access.Answer{Allowed: true, Reason: access.Retrying},
		},
		"past due for an upgrade that was not paid": {
			with(func(s *subscription.Subscription) {
				s.Status, s.PaidThrough, s.PaidFor = subscription.PastDue, later, &subscription.PaidFor{}
			}),
			collecting(collection.Exhausted, 4), access.Answer{Allowed: true, Reason: access.Paid, Until: later},
		},
		"past due for an upgrade behind the time that was paid": {
			with(func(s *subscription.Subscription) {
				s.Status, s.PaidThrough, s.PaidFor = subscription.PastDue, before, &subscription.PaidFor{}
			}),
			collecting(collection.Exhausted, 4), access.Answer{Reason: access.PastDue},
		},
		"past due for usage within time that was paid": {
			with(func(s *subscription.Subscription) { s.Status, s.PaidThrough = subscription.PastDue, later }),
			collecting(collection.Exhausted, 4), access.Answer{Reason: access.PastDue},
		},
		"canceled at once": {
			with(func(s *subscription.Subscription) { s.Status, s.PaidThrough = subscription.Canceled, later }), nil,
			access.Answer{Reason: access.Canceled},
		},
	} {
		require.Equal(t, tc.want, access.Of(access.Claim{Subscription: tc.sub, Collecting: tc.collecting}, now), name)
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
