package subscription

import (
	"perennial/billing/invoice"
	"perennial/billing/plan"
)

// fees returns a line for each price of a plan that is charged once, on the first invoice of a subscription, with the
// taxes of now. They have no item: what is billed once is no part of a period, so that nothing of it is unused later.
// Faults: those of plan.Cost.
func (s Period) fees(p plan.Plan) ([]invoice.Line, error) {
	var lines []invoice.Line
	for _, price := range p.Prices {
		if !price.Once {
			continue
		}
		cost, err := p.Cost(price.ID, price.Units(s.Quantity))
		if err != nil {
			return nil, err
		}
		if cost.Amount == 0 {
			continue
		}
		lines = append(lines, invoice.Line{
			Kind: invoice.OneOff, Description: cost.Description, PlanID: p.ID, PriceID: price.ID, PeriodIndex: s.PeriodIndex,
			Quantity: cost.Quantity, UnitPrice: cost.UnitPrice, Amount: cost.Amount,
			Rates: s.Facts.Rates, Period: s.CurrentPeriod,
		})
	}
	return lines, nil
}
