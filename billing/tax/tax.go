// Package tax owns tax rates: percentages that are added to a price, or that it contains. It does not own which rate holds
// where, nor the sums of an invoice.
package tax

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Rate is one tax. Several rates of a line add: each is a percentage of the same base, none of another tax.
type Rate struct {
	ID      string
	Name    string        // as the invoice shows it
	Percent money.Decimal // 0 to 100
	// Inclusive: the price contains the tax. Its base is the price without all inclusive rates of the line.
	Inclusive bool
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
