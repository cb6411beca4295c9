package subscription

import "perennial/billing/metered"

// UsageThresholds are those of one subscription; empty: it has none, whatever its plan has.
type UsageThresholds []metered.Threshold

// Same reports whether thresholds are equal, and in the same order; nil: those of a plan.
func (t *UsageThresholds) Same(other *UsageThresholds) bool {
	if t == nil || other == nil {
		return t == other
	}
	return metered.SameThresholds(*t, *other)
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
