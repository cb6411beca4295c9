package rating

import "perennial/billing/money"

// graduatedPercentage charges a share of an amount, in every tier at that tier's rate; flat amounts as for graduated.
type graduatedPercentage struct{}

func (graduatedPercentage) parameters() (needs, allows []string) {
	return []string{"tiers", "tiers.percent"}, []string{"minimum", "maximum", "tiers.flatAmount"}
}

func (graduatedPercentage) steps(steps []Step, p Price, of usage, c money.Currency) []Step {
	return tierByTier(steps, p.Tiers, of.units, c)
}
