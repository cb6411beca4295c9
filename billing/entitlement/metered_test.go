package entitlement_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/entitlement"
	"perennial/billing/money"
	"perennial/billing/plan"
)

func count(n int64) entitlement.Count { return entitlement.Count{Quantity: money.Whole(n)} }

// A limit that is reached refuses until the first period ends, unless one of its sources is soft.
func TestAnswer_Counted(t *testing.T) {
	t.Parallel()
	soon := now.Add(time.Minute)
	one := of("calls", []access.Claim{on("calls", 1, later)})
	require.Equal(t, "api_calls", one.Counters[0].MetricName)
	require.Equal(t, later, one.Counters[0].Period.End)

	below := one.Counted([]entitlement.Count{count(999)})
	require.True(t, below.Allowed)
	require.Equal(t, "999", below.Used.String())
	require.Equal(t, later, below.ResetsAt)
	reached := one.Counted([]entitlement.Count{count(1000)})
	require.Equal(t, [2]any{false, access.LimitReached}, [2]any{reached.Allowed, reached.Reason})
	require.Equal(t, later, reached.Until)

	two := of("calls", []access.Claim{on("calls", 1, later), on("soft", 1, soon)})
	require.Len(t, two.Counters, 2)
	sum := two.Counted([]entitlement.Count{count(1200), count(800)})
	require.True(t, sum.Allowed, "one of them is soft")
	require.Equal(t, "2000", sum.Used.String())
	require.Equal(t, soon, sum.ResetsAt)

	kept := one.Counted([]entitlement.Count{{Quantity: money.Whole(1000), Carries: true}})
	require.False(t, kept.Allowed)
	require.True(t, kept.ResetsAt.IsZero(), "what carries over does not begin again")
	require.False(t, of("sso", []access.Claim{on("team", 1, later)}).Counted(nil).Used.IsGiven())
}

// An add-on with the same metric is counted once.
func TestOf_CountsAMetricOfASubscriptionOnce(t *testing.T) {
	t.Parallel()
	more := backup(1)
	more.ID = "soft"
	got := of("calls", []access.Claim{on("calls", 1, later, more)})
	require.Len(t, got.Counters, 1)
	require.Equal(t, limit(1500), got.Limit)
}

func TestOf_WhatACustomerHasInPlaceOfPlans(t *testing.T) {
	t.Parallel()
	both := []access.Claim{on("calls", 1, later), on("soft", 1, later)}
	soon := now.Add(time.Minute)
	for name, c := range map[string]struct {
		own     plan.FeatureOverride
		key     string
		allowed bool
		limit   *int64
		until   time.Time
		sources int
		counted int
	}{
		"more than all of them": {plan.FeatureOverride{Key: "calls", Limit: limit(9000)}, "calls", true, limit(9000), later, 1, 2},
		"no limit":              {plan.FeatureOverride{Key: "calls"}, "calls", true, nil, later, 1, 2},
		"of one subscription": {
			plan.FeatureOverride{Key: "calls", SubscriptionID: "sub_soft", Limit: limit(2)}, "calls", true, limit(1002), later, 2, 2,
		},
		"until a time": {plan.FeatureOverride{Key: "calls", Limit: limit(9), Until: soon}, "calls", true, limit(9), soon, 1, 2},
		"until now":    {plan.FeatureOverride{Key: "calls", Limit: limit(9), Until: now}, "calls", true, limit(1500), later, 2, 2},
		"excluded":     {plan.FeatureOverride{Key: "calls", Excluded: true, Until: soon}, "calls", false, nil, soon, 0, 0},
		"excluded of one": {
			plan.FeatureOverride{Key: "calls", SubscriptionID: "sub_soft", Excluded: true}, "calls", true, limit(1000), later, 1, 1,
		},
		"what no plan has": {plan.FeatureOverride{Key: "beta", Limit: limit(3)}, "beta", true, limit(3), later, 1, 0},
		"of another key":   {plan.FeatureOverride{Key: "beta"}, "calls", true, limit(1500), later, 2, 2},
	} {
		got := of(c.key, both, c.own)
		require.Equal(t, c.allowed, got.Allowed, name)
		require.Equal(t, c.limit, got.Limit, name)
		require.Equal(t, c.until, got.Until, name)
		require.Len(t, got.Sources, c.sources, name)
		require.Len(t, got.Counters, c.counted, name)
		if !c.allowed {
			require.Equal(t, access.NotIncluded, got.Reason, name)
		}
	}
	require.False(t, of("calls", nil, plan.FeatureOverride{Key: "calls"}).Allowed, "it lets nobody in")
}
