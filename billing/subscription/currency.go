package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// InCurrency returns add-ons that are asked for as they are sold in a currency. One that is not stays as it is, and
// Sell refuses it.
func InCurrency(chosen []Chosen, c money.Currency) []Chosen {
	chosen = slices.Clone(chosen)
	for i := range chosen {
		chosen[i].AddOn = chosen[i].AddOn.InIfOffered(c)
	}
	return chosen
}

// CheckCurrency refuses a plan, or a version of one, that a subscription in a currency cannot have. p is as it is sold
// in it, if it is. Fault: currency_mismatch.
func CheckCurrency(p plan.Plan, c money.Currency) error {
	if p.Currency == c {
		return nil
	}
	return fault.InvalidParam("planId", "currency_mismatch",
		"The plan is sold in %s, and not in %s, the subscription's currency, which cannot change. Choose a plan, or a version of "+
			"it, that is sold in %s, or cancel and create a new subscription.", p.SoldIn(), c, c)
}
