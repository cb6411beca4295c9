package entitlement_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/access"
	"perennial/billing/entitlement"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

var (
	now   = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	later = now.Add(time.Hour)
)

func limit(n int64) *int64 { return &n }

// on is a paid subscription to a plan, with add-ons.
func on(planID string, quantity int64, until time.Time, addOns ...subscription.AddOn) access.Claim {
	return access.Claim{Subscription: subscription.Subscription{
		ID: "sub_" + planID, PlanID: planID, Quantity: quantity, AddOns: addOns, Status: subscription.Active, ActivatedAt: now,
		CurrentPeriod: period.Period{Start: now, End: until},
	}}
}

func backup(quantity int64) subscription.AddOn {
	return subscription.AddOn{Ref: plan.Ref{ID: "backup", Version: 1}, Quantity: quantity}
}

var features = map[string]plan.Features{
	"team":   {{Key: "sso"}, {Key: "projects", Limit: limit(10)}, {Key: "storage", Limit: limit(5), PerUnit: true}},
	"solo":   {{Key: "projects", Limit: limit(3)}},
	"whole":  {{Key: "projects"}},
	"backup": {{Key: "storage", Limit: limit(100), PerUnit: true}, {Key: "projects", Limit: limit(1)}},
	"calls":  {{Key: "calls", Limit: limit(1000), MetricName: "api_calls"}},
	"soft":   {{Key: "calls", Limit: limit(500), MetricName: "api_calls", SoftLimit: true}},
}

// of returns the answer for a feature at now.
func of(key string, claims []access.Claim, own ...plan.FeatureOverride) entitlement.Answer {
	answers := make([]access.Answer, len(claims))
	for i, claim := range claims {
		answers[i] = access.Of(claim, now)
	}
	return entitlement.Of(key, entitlement.Held{
		Claims: claims, Answers: answers, Features: features, Overrides: own, Now: now,
	})
}

func TestOf(t *testing.T) {
	t.Parallel()
	paused := on("team", 1, later)
	paused.Status = subscription.Paused
	for name, c := range map[string]struct {
		key     string
		claims  []access.Claim
		allowed bool
		reason  access.Reason
		limit   *int64
		sources int
	}{
		"a switch":               {"sso", []access.Claim{on("team", 1, later)}, true, access.Paid, nil, 1},
		"a number":               {"projects", []access.Claim{on("team", 9, later)}, true, access.Paid, limit(10), 1},
		"for each unit":          {"storage", []access.Claim{on("team", 4, later)}, true, access.Paid, limit(20), 1},
		"with an add-on":         {"storage", []access.Claim{on("team", 4, later, backup(2))}, true, access.Paid, limit(220), 2},
		"of two subscriptions":   {"projects", []access.Claim{on("team", 1, later), on("solo", 1, later)}, true, access.Paid, limit(13), 2},
		"one has no limit":       {"projects", []access.Claim{on("whole", 1, later), on("solo", 1, later)}, true, access.Paid, nil, 2},
		"one lets nobody in":     {"projects", []access.Claim{paused, on("solo", 1, later)}, true, access.Paid, limit(3), 1},
		"a plan without it":      {"sso", []access.Claim{on("solo", 1, later)}, false, access.NotIncluded, nil, 0},
		"only a paused one":      {"sso", []access.Claim{paused, on("solo", 1, later)}, false, access.NotIncluded, nil, 0},
		"none lets in":           {"sso", []access.Claim{paused}, false, access.Paused, nil, 0},
		"no subscription at all": {"sso", nil, false, access.NoSubscription, nil, 0},
		"at most the bound": {
			"storage", []access.Claim{on("team", 1, later, backup(plan.MaxFeatureLimit))}, true, access.Paid,
			limit(plan.MaxFeatureLimit), 2,
		},
	} {
		got := of(c.key, c.claims)
		require.Equal(t, [2]any{c.allowed, c.reason}, [2]any{got.Allowed, got.Reason}, name)
		require.Equal(t, c.limit, got.Limit, name)
		require.Len(t, got.Sources, c.sources, name)
		require.Equal(t, c.key, got.Feature, name)
	}
}

// The answer may change when the first of its sources ends.
func TestOf_UntilTheFirstEnds(t *testing.T) {
	t.Parallel()
	soon := now.Add(time.Minute)
	got := of("projects", []access.Claim{on("team", 1, later), on("solo", 1, soon)})
	require.Equal(t, soon, got.Until)
	got = of("sso", []access.Claim{on("team", 1, later), on("solo", 1, soon)})
	require.Equal(t, later, got.Until, "the other one does not give it")
}

// One more subscription or unit never takes anything away.
func TestOf_GrowsWithWhatIsBought(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		some := rapid.Custom(func(r *rapid.T) access.Claim {
			return on(rapid.SampledFrom([]string{"team", "solo", "whole"}).Draw(r, "plan"),
				rapid.Int64Range(1, 1000).Draw(r, "quantity"), later, backup(rapid.Int64Range(1, 9).Draw(r, "add-ons")))
		})
		key := rapid.SampledFrom([]string{"sso", "projects", "storage"}).Draw(r, "key")
		claims := rapid.SliceOfN(some, 0, 4).Draw(r, "claims")
		fewer := of(key, claims)
		more := of(key, append(claims, some.Draw(r, "one more")))
		require.True(r, !fewer.Allowed || more.Allowed)
		if more.Allowed && more.Limit != nil && fewer.Allowed {
			require.NotNil(r, fewer.Limit)
			require.GreaterOrEqual(r, *more.Limit, *fewer.Limit)
		}
	})
}
