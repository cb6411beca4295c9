package subscription

import "perennial/billing/metered"

// UsageThresholds are the thresholds of one subscription. An empty list turns those of its plan off.
type UsageThresholds []metered.Threshold

// Same reports whether thresholds are equal and in the same order; nil: the plan's.
func (t *UsageThresholds) Same(other *UsageThresholds) bool {
	if t == nil || other == nil {
		return t == other
	}
	return metered.SameThresholds(*t, *other)
}

// Thresholds returns the thresholds of the subscription on a plan with these prices.
func (s Subscription) Thresholds(of *metered.Prices) []metered.Threshold {
	switch {
	case s.UsageThresholds != nil:
		return *s.UsageThresholds
	case of != nil:
		return of.Thresholds
	}
	return nil
}
