package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// InCurrency returns requested add-ons with their prices in a currency. An add-on without such prices stays as it is,
// and Sell refuses it.
func InCurrency(chosen []Chosen, c money.Currency) []Chosen {
	chosen = slices.Clone(chosen)
	for i := range chosen {
		chosen[i].AddOn = chosen[i].AddOn.InIfOffered(c)
	}
	return chosen
}

// CheckCurrency refuses a plan, or a version of one, that is not sold in the subscription's currency. p has its prices
// in that currency where it has any. Fault: currency_mismatch.
func CheckCurrency(p plan.Plan, c money.Currency) error {
	if p.Currency == c {
		return nil
	}
	return fault.InvalidParam("planId", "currency_mismatch",
		"The plan is sold in %s, and not in %s, the subscription's currency, which cannot change. Choose a plan, or a version of "+
			"it, that is sold in %s, or cancel and create a new subscription.", p.SoldIn(), c, c)
}
