package plan

import (
	"slices"

	"perennial/billing/metered"
)

// AfterPeriod returns the prices that the plan charges after each period: for usage, and its prices in arrears for a
// quantity of units; nil: none. The plan is in the currency of the subscription (In).
func (p Plan) AfterPeriod(quantity int64) *metered.Prices {
	if p.Metered == nil && !slices.ContainsFunc(p.Prices, func(price Price) bool { return price.Arrears }) {
		return nil
	}
	var out metered.Prices
	if p.Metered != nil {
		out = *p.Metered
		out.Components = slices.Clone(p.Metered.Components)
	}
	for _, price := range p.Prices {
		if price.Arrears {
			out.Components = append(out.Components, metered.Component{
				ID: price.ID, Name: price.Name, Fixed: true, Units: price.Units(quantity),
				Rates: []metered.Rate{{Price: price.Price}},
			})
		}
	}
	for i := range out.Components {
		out.Components[i].AddOn = p.AddOn
	}
	return &out
}

// Counts reports whether a price that is charged after each period is the plan's.
func (p Plan) Counts(priceID string) bool {
	if _, metered := p.Metered.Component(priceID); metered {
		return true
	}
	return slices.ContainsFunc(p.Prices, func(price Price) bool { return price.Arrears && price.ID == priceID })
}
