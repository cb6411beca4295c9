package subscription

import (
	"slices"

	"perennial/billing/metered"
)

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
