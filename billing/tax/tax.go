// Package tax owns tax rates, which are percentages that are added to a price or contained in it, and which of them
// apply to a payer at a time. It does not own the sums of an invoice.
package tax

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Rate is one tax. Several rates of a line add: each is a percentage of the same base, none of another tax.
type Rate struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"` // as the invoice shows it
	Percent money.Decimal `json:"percent"`
	// Inclusive: the price contains the tax. Its base is the price without all inclusive rates of the line.
	Inclusive bool `json:"inclusive,omitzero"`
}

var hundred = money.Whole(100)

// Validate refuses a percentage that is missing or out of range: tax_percent_out_of_range.
func (r Rate) Validate() error {
	if !r.Percent.IsGiven() || r.Percent.Sign() < 0 || r.Percent.Cmp(hundred) > 0 {
		return fault.InvalidParam("percent", "tax_percent_out_of_range",
			"`percent` must be 0 to 100. Send a string such as \"19\" or \"8.875\".")
	}
	return nil
}
