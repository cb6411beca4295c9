package rating

import "perennial/billing/money"

// volume prices all units at the price of the tier that the quantity reaches, and adds that tier's flat amount. Without
// usage that is the first tier.
type volume struct{}

func (volume) parameters() (needs, allows []string) { return graduated{}.parameters() }

func (volume) steps(steps []Step, p Price, of usage, c money.Currency) []Step {
	i := tierOf(p.Tiers, of.units)
	if i < 0 {
		return steps
	}
	return p.Tiers[i].steps(steps, i+1, of.units, c)
}

// tierOf is the place of the tier that a quantity falls into; a bound belongs to the tier below it. The last tier has
// no bound. Without tiers it is -1, which no valid price is.
func tierOf(tiers []Tier, units money.Decimal) int {
	for i, tier := range tiers {
		if !tier.UpTo.IsGiven() || units.Cmp(tier.UpTo) <= 0 {
			return i
		}
	}
	return len(tiers) - 1
}
