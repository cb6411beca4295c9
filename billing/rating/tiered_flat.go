package rating

import "perennial/billing/money"

// tieredFlat costs the flat amount of the tier that the quantity falls into: up to 10 seats 50.00, up to 50 seats
// 200.00.
type tieredFlat struct{}

func (tieredFlat) parameters() (needs, allows []string) {
	return []string{"tiers"}, []string{"included", "minimum", "maximum", "tiers.flatAmount"}
}

func (tieredFlat) steps(steps []Step, p Price, of usage, c money.Currency) []Step {
	i := tierOf(p.Tiers, of.units)
	if i < 0 {
		return steps
	}
	return fixed(steps, i+1, p.Tiers[i].FlatAmount, c)
}
