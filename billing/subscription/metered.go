package subscription

import (
	"perennial/billing/fault"
	"perennial/billing/plan"
)

// CheckMetered refuses a plan or an add-on with metered prices, for whose usage nothing bills yet (ADR 58); field is
// where the request names it. Whatever a subscription begins with or changes to is checked. Fault:
// metered_prices_not_billed.
func CheckMetered(p plan.Plan, field string) error {
	if p.Metered == nil {
		return nil
	}
	return fault.New(fault.Conflict, "metered_prices_not_billed",
		"The plan or add-on has `meteredPrices`, which are not billed yet. Choose one, or a version of it, without them.").In(field)
}
