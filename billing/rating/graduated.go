package rating

import "perennial/billing/money"

// graduated prices the units of every tier at that tier's price, as income tax does: with tiers up to 10 and beyond, 12
// units are 10 at the first price and 2 at the second. The flat amount of each tier that is reached is added; the first
// is reached without any usage.
type graduated struct{}

func (graduated) parameters() (needs, allows []string) {
	return []string{"tiers"}, []string{
		"included", "minimum", "maximum", "tiers.unitAmount", "tiers.packageSize", "tiers.packageAmount", "tiers.flatAmount",
	}
}

func (graduated) steps(steps []Step, p Price, of usage, c money.Currency) []Step {
	return tierByTier(steps, p.Tiers, of.units, c)
}

// tierByTier gives every tier the units between the bound below it and its own.
func tierByTier(steps []Step, tiers []Tier, units money.Decimal, c money.Currency) []Step {
	below := money.Whole(0)
	for i, tier := range tiers {
		if i > 0 && units.Cmp(below) <= 0 {
			break
		}
		reached := units
		if tier.UpTo.IsGiven() {
			reached = smaller(units, tier.UpTo)
		}
		steps = tier.steps(steps, i+1, reached.Sub(below), c)
		below = reached
	}
	return steps
}

// steps appends what some units cost in this tier, which is the nth.
func (tier Tier) steps(steps []Step, nth int, units money.Decimal, c money.Currency) []Step {
	switch {
	case units.Sign() == 0:
	case tier.PackageSize.Sign() > 0:
		steps = packed(steps, nth, units, tier.PackageSize, tier.PackagePrice)
	case tier.Percent.IsGiven():
		steps = append(steps, step(Share, nth, units, tier.Percent.Hundredth()))
	case tier.UnitPrice.IsGiven():
		steps = append(steps, step(Units, nth, units, tier.UnitPrice))
	}
	return fixed(steps, nth, tier.FlatAmount, c)
}
