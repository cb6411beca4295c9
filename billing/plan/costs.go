package plan

import "perennial/billing/money"

// Cost is what one price comes to in a whole period. Quantity and UnitPrice are decimals, the latter in major units of
// the plan's currency, since a unit may cost less than a minor unit.
type Cost struct {
	PriceID     string
	Description string
	Quantity    string
	UnitPrice   string
	Amount      money.Minor
}

// Costs returns what one whole period of the plan costs, one Cost a price, free ones too.
func (p Plan) Costs() []Cost {
	costs := make([]Cost, len(p.Prices))
	for i, price := range p.Prices {
		costs[i] = Cost{
			PriceID: price.ID, Description: p.describe(price), Quantity: "1",
			UnitPrice: money.FormatUnits(price.Amount, p.Currency), Amount: price.Amount,
		}
	}
	return costs
}

func (p Plan) describe(price Price) string {
	if price.Name == "" {
		return p.Name
	}
	return p.Name + " – " + price.Name
}
