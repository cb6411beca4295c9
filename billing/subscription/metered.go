package subscription

import (
	"perennial/billing/fault"
	"perennial/billing/metered"
)

// UsageThresholds are the thresholds of one subscription. An empty list turns those of its plan off.
type UsageThresholds []metered.Threshold

// Same reports whether thresholds are equal and in the same order; nil: the plan's.
func (t *UsageThresholds) Same(other *UsageThresholds) bool {
	if t == nil || other == nil {
		return t == other
	}
	return metered.SameThresholds(*t, *other)
}

// Check checks thresholds of a subscription on a plan with these prices; nil: the plan has none. Faults:
// usage_thresholds_unmetered, those of metered.Prices.CheckThresholds.
func (t *UsageThresholds) Check(of *metered.Prices) error {
	switch {
	case t == nil || len(*t) == 0:
		return nil
	case of == nil:
		return errUnmetered
	}
	return of.CheckThresholds(*t)
}

var errUnmetered = fault.New(fault.Conflict, "usage_thresholds_unmetered",
	"The plan of the subscription has no `meteredPrices`, so that its usage costs nothing. Choose a plan with some first.").
	In("usageThresholds")

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
