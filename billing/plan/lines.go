package plan

import (
	"perennial/billing/invoice"
	"perennial/billing/period"
)

// Lines are what one whole period of the plan costs, one line a price; a free component has no line.
func (p Plan) Lines(of period.Period) []invoice.Line {
	lines := make([]invoice.Line, 0, len(p.Prices))
	for _, price := range p.Prices {
		if price.Amount == 0 {
			continue
		}
		lines = append(lines, invoice.Line{
			Kind: invoice.Recurring, Description: p.describe(price), PlanID: p.ID, PriceID: price.ID,
			Amount: price.Amount, Period: of,
		})
	}
	return lines
}

func (p Plan) describe(price Price) string {
	if price.Name == "" {
		return p.Name
	}
	return p.Name + " – " + price.Name
}
