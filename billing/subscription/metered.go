package subscription

import (
	"perennial/billing/fault"
	"perennial/billing/plan"
)

// ErrMeteredNotBilled refuses what usage would be owed for that nothing bills yet (ADR 58).
var ErrMeteredNotBilled = fault.New(fault.Conflict, "metered_prices_not_billed",
	"The plan or add-on has `meteredPrices`, which are not billed yet. Choose one, or a version of it, without them.").In("planId")

// CheckMetered refuses a plan or an add-on with metered prices; field is where the request names it. Whatever a
// subscription begins with or changes to is checked. Fault: metered_prices_not_billed.
func CheckMetered(p plan.Plan, field string) error {
	if p.Metered != nil {
		return ErrMeteredNotBilled.In(field)
	}
	return nil
}
