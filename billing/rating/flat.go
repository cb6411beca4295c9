package rating

import "perennial/billing/money"

// flat costs the same in every period, whatever the quantity.
type flat struct{}

// A free plan has a flat price of 0, so this package cannot distinguish 0 from a missing amount; the decoder can.
func (flat) parameters() (needs, allows []string) { return nil, []string{"amount"} }

func (flat) steps(steps []Step, p Price, _ usage, c money.Currency) []Step {
	return fixed(steps, 0, p.Amount, c)
}

// fixed appends an amount that is charged once; 0 is no step.
func fixed(steps []Step, tier int, amount money.Minor, c money.Currency) []Step {
	if amount == 0 {
		return steps
	}
	return append(steps, step(Fixed, tier, money.Whole(1), money.Units(amount, c)))
}
