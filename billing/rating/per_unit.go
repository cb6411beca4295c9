package rating

import "perennial/billing/money"

// perUnit costs the same for every unit. Parts of a unit cost parts of its price.
type perUnit struct{}

func (perUnit) parameters() (needs, allows []string) {
	return []string{"unitAmount"}, []string{"included", "minimum", "maximum"}
}

func (perUnit) steps(steps []Step, p Price, of usage, _ money.Currency) []Step {
	if of.units.Sign() == 0 {
		return steps
	}
	return append(steps, step(Units, 0, of.units, p.UnitPrice))
}
