package rating

import (
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// MaxTiers bounds the tiers of one price, and with them the steps of an explanation.
const MaxTiers = 100

// maxPercent is the largest percentage: more than all of an amount is a typing error.
var maxPercent = money.Whole(100)

// MaxTransactions bounds the transactions of a period that a price may look at one by one.
const MaxTransactions = 1_000_000

// maxFree is the largest number of transactions that are free: of more none would ever cost anything.
var maxFree = money.Whole(MaxTransactions)

// Validate checks a new price, and names the parameter at fault (`tiers[1].upTo`). Every number is bounded by
// money.ParseDecimal and money.MaxMinor. Faults: price_model_unknown, price_parameter_missing,
// price_parameter_unexpected, price_parameter_out_of_range, tiers_count_out_of_range, tiers_not_ascending,
// amount_negative, amount_too_large.
func (p Price) Validate() error {
	model, known := models[p.Model]
	if !known {
		return unknownModel(p.Model)
	}
	needs, allows := model.parameters()
	for _, f := range p.fields() {
		if err := f.check(p.Model, f.name, needs, allows); err != nil {
			return err
		}
	}
	if slices.Contains(needs, "tiers") {
		if err := p.checkTiers(needs, allows); err != nil {
			return err
		}
	}
	if err := p.Transactions.validate(); err != nil {
		return err
	}
	if p.Maximum > 0 && p.Maximum < p.Minimum {
		return fault.InvalidParam("maximum", "price_parameter_out_of_range",
			"`maximum` must not be below `minimum`. Send at least %d, or leave it out.", int64(p.Minimum))
	}
	return nil
}

func (p Price) checkTiers(needs, allows []string) error {
	if len(p.Tiers) > MaxTiers {
		return fault.InvalidParam("tiers", "tiers_count_out_of_range",
			"A price must have 1 to %d tiers. The request has %d.", MaxTiers, len(p.Tiers))
	}
	below := money.Whole(0)
	for i, tier := range p.Tiers {
		at := fmt.Sprintf("tiers[%d].", i)
		if err := tier.checkBound(at+"upTo", below, i == len(p.Tiers)-1); err != nil {
			return err
		}
		below = tier.UpTo
		for _, f := range tier.fields() {
			if err := f.check(p.Model, at+f.name, prefixed(at, needs), prefixed(at, allows)); err != nil {
				return err
			}
		}
		if err := tier.checkPrices(at, slices.Contains(allows, "tiers.unitAmount")); err != nil {
			return err
		}
	}
	return nil
}

func (tier Tier) checkBound(param string, below money.Decimal, last bool) error {
	switch {
	case last && tier.UpTo.IsGiven():
		return fault.InvalidParam(param, "price_parameter_unexpected",
			"The last tier has no end. Leave out its `upTo`, or add a tier behind it.")
	case !last && !tier.UpTo.IsGiven():
		return fault.InvalidParam(param, "price_parameter_missing",
			"Only the last tier may leave out `upTo`. Send the quantity that this tier ends with.")
	case !last && tier.UpTo.Cmp(below) <= 0:
		return fault.InvalidParam(param, "tiers_not_ascending",
			"`upTo` must be greater than %s, where this tier begins. The request has %s.", below, tier.UpTo)
	}
	return nil
}

// checkPrices refuses a tier that prices its units twice or, in a model with prices per unit, not at all; and half a
// package.
func (tier Tier) checkPrices(at string, perUnit bool) error {
	switch packed := tier.PackageSize.IsGiven(); {
	case perUnit && tier == Tier{UpTo: tier.UpTo}:
		return fault.InvalidParam(at+"unitAmount", "price_parameter_missing",
			"This tier has no price. Send a `unitAmount` of \"0\" if its units are free.")
	case packed && tier.UnitPrice.IsGiven():
		return fault.InvalidParam(at+"unitAmount", "price_parameter_unexpected",
			"A tier has either `unitAmount` or `packageSize` with `packageAmount`. Leave one of them out.")
	case packed != tier.PackagePrice.IsGiven():
		return fault.InvalidParam(at+"packageAmount", "price_parameter_missing",
			"`packageSize` and `packageAmount` belong together. Send both, or neither.")
	}
	return nil
}

// validate refuses bounds of single transactions that exclude each other. Their signs are checked before.
func (t Transactions) validate() error {
	if t.Maximum.Sign() > 0 && t.Maximum.Cmp(t.Minimum) < 0 {
		return fault.InvalidParam("transactions.maximumAmount", "price_parameter_out_of_range",
			"`maximumAmount` must not be below `minimumAmount`. Raise it, or leave it out.")
	}
	return nil
}
