package rating

import "perennial/billing/money"

// packages costs the same for every package of units; a part of a package costs as much as a whole one.
type packages struct{}

func (packages) parameters() (needs, allows []string) {
	return []string{"packageSize", "packageAmount"}, []string{"included", "minimum", "maximum"}
}

func (packages) steps(steps []Step, p Price, of usage, _ money.Currency) []Step {
	return packed(steps, 0, of.units, p.PackageSize, p.PackagePrice)
}

func packed(steps []Step, tier int, units, size, price money.Decimal) []Step {
	if units.Sign() == 0 {
		return steps
	}
	return append(steps, step(Packages, tier, units.Portions(size), price))
}
