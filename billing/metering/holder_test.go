package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Usage of two plans with equal prices goes on in one segment, unless a line of it depends on the plan.
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
