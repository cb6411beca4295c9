package subscription

import (
	"perennial/billing/fault"
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
