package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/plan"
)

// CheckMetered refuses an add-on with metered prices, whose usage nothing bills yet (ADR 58); field is where the
// request names it. Fault: metered_prices_not_billed.
func CheckMetered(p plan.Plan, field string) error {
	if p.Metered == nil || !p.AddOn {
		return nil
	}
	return fault.New(fault.Conflict, "metered_prices_not_billed",
		"The add-on has `meteredPrices`, which are billed of plans only, so far. Choose an add-on, or a version of it, "+
			"without them.").In(field)
}

// UsageThresholds are those of one subscription; empty: it has none, whatever its plan has.
type UsageThresholds []metered.Threshold

// Same reports whether thresholds are equal, and in the same order; nil: those of a plan.
func (t *UsageThresholds) Same(other *UsageThresholds) bool {
	if t == nil || other == nil {
		return t == other
	}
	return slices.EqualFunc(*t, *other, func(a, b metered.Threshold) bool {
		return a.Key() == b.Key() && a.Invoice == b.Invoice
	})
}

// Thresholds are those that count while the subscription is on a plan with these prices.
func (s Subscription) Thresholds(of *metered.Prices) []metered.Threshold {
	switch {
	case s.UsageThresholds != nil:
		return *s.UsageThresholds
	case of != nil:
		return of.Thresholds
	}
	return nil
}
