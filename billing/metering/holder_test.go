package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Usage of two plans with equal prices stays in one segment, unless one of its lines depends on the plan.
func TestFollow_EqualPricesOfAnotherPlan(t *testing.T) {
	t.Parallel()
	taxed := same
	taxed.TaxCategory = "books"
	interim := calls
	interim.Metered = &metered.Prices{
		Components: calls.Metered.Components, Thresholds: []metered.Threshold{{Amount: 500, Invoice: true}},
	}
	announced := calls
	announced.Metered = &metered.Prices{
		Components: calls.Metered.Components, Thresholds: []metered.Threshold{{Amount: 500}},
	}
	forAll, forOne := subscription.Discount{CouponID: "all"}, subscription.Discount{CouponID: "one"}
	forOne.PlanIDs = []string{calls.ID}
	nextVersion := interim
	nextVersion.Version++
	for name, c := range map[string]struct {
		from, to plan.Plan
		has      subscription.Discounts
		cuts     bool
	}{
		"nothing depends on the plan":       {calls, same, subscription.Discounts{forAll}, false},
		"a coupon for one of them":          {calls, same, subscription.Discounts{forAll, forOne}, true},
		"another tax category":              {calls, taxed, nil, true},
		"a threshold that bills":            {interim, same, nil, true},
		"a threshold that only announces":   {announced, same, nil, false},
		"a threshold, in the next version":  {interim, nextVersion, subscription.Discounts{forOne}, false},
		"the plan stays, with what it says": {interim, interim, subscription.Discounts{forOne}, false},
	} {
		changed := change(c.from, func(s *subscription.Subscription) {})
		changed.Before.Discounts, changed.After.Discounts = c.has, c.has
		_, closed, err := to(c.to, changed).Follow()
		require.NoError(t, err, name)
		require.Equal(t, c.cuts, len(closed) == 1, name)
	}
}

// A price that moves between the plan and an add-on, or between add-ons, changes its holder, unless no prices count.
func TestFollow_EqualPricesOfAddOns(t *testing.T) {
	t.Parallel()
	first, second, bare := addOn("first", "0.01"), addOn("second", "0.01"), addOn("bare", "")
	known := []plan.Plan{bare, first, second}
	for name, c := range map[string]struct {
		was, is subscription.AddOns
		cuts    bool
	}{
		"the same":                      {sold(first), sold(first), false},
		"another one":                   {sold(first), sold(second), true},
		"in another order":              {sold(first, second), sold(second, first), false},
		"one more, without such prices": {sold(first), sold(bare, first), false},
		"one less, without such prices": {sold(first, bare), sold(first), false},
		"one less, which is not known":  {sold(first, addOn("unknown", "1")), sold(first), false},
	} {
		changed := change(without, func(*subscription.Subscription) {})
		changed.Before.MeteredSince, changed.WasAddOns, changed.IsAddOns = on(2, 1), known, known
		d := subscription.Discount{CouponID: "one"}
		d.PlanIDs = []string{first.ID}
		changed.Before.Discounts = subscription.Discounts{d}
		changed.After.MeteredSince = changed.Before.MeteredSince
		changed.Before.AddOns, changed.After.AddOns = c.was, c.is
		_, closed, err := changed.Follow()
		require.NoError(t, err, name)
		require.Equal(t, c.cuts, len(closed) == 1, name)
	}
	alone := change(without, func(*subscription.Subscription) {})
	alone.Before.MeteredSince, alone.After.MeteredSince = on(2, 1), on(2, 1)
	alone.Before.AddOns, alone.WasAddOns = sold(first), []plan.Plan{first}
	alone.After.AddOns, alone.IsAddOns = sold(second), []plan.Plan{second}
	alone.Before.Discounts = subscription.Discounts{{CouponID: "one"}}
	alone.Before.Discounts[0].PlanIDs = []string{first.ID}
	_, closed, err := alone.Follow()
	require.NoError(t, err)
	require.Len(t, closed, 1, "the only add-ons that are known")
	moved := to(without, change(calls, func(*subscription.Subscription) {}))
	twin := addOn("twin", "0.01")
	twin.AddOn, twin.Metered = false, calls.Metered // an identical price
	moved.IsAddOns, moved.After.AddOns = []plan.Plan{twin}, sold(twin)
	moved.Before.Discounts = subscription.Discounts{{CouponID: "one"}}
	moved.Before.Discounts[0].PlanIDs = []string{calls.ID}
	_, closed, err = moved.Follow()
	require.NoError(t, err)
	require.Len(t, closed, 1, "from the plan to an add-on")
}
