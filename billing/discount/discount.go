// Package discount owns coupons: the amount of the discount, its duration and the number of redemptions. It does not
// own how several of them are taken off an invoice, one after another: totals does.
package discount

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Discount takes a percentage or an amount off. Exactly one of the two is set.
type Discount struct {
	Percent money.Decimal `json:"percent,omitzero"` // 0 to 100
	Amount  money.Minor   `json:"amount,omitzero"`  // minor units
}

var hundred = money.Whole(100)

// Validate refuses a discount without effect or beyond the price: discount_kind_unclear, discount_out_of_range,
// amount_too_large.
func (d Discount) Validate() error {
	switch percent := d.Percent.IsGiven(); {
	case percent == (d.Amount != 0):
		return fault.InvalidParam("percent", "discount_kind_unclear",
			"A discount has either `percent` or `amount`. Send exactly one of them.")
	case percent && (d.Percent.Sign() <= 0 || d.Percent.Cmp(hundred) > 0):
		return fault.InvalidParam("percent", "discount_out_of_range",
			"`percent` must be greater than 0 and at most 100. The request has %s.", d.Percent)
	case d.Amount < 0:
		return fault.InvalidParam("amount", "discount_out_of_range",
			"`amount` must be greater than 0. The request has %d.", int64(d.Amount))
	}
	if err := d.Amount.Check(); err != nil {
		return fault.From(err).In("amount")
	}
	return nil
}

// Of returns the discount on a price in minor units: rounded once, half away from zero, at least 0 and at most the
// price.
func (d Discount) Of(price money.Minor) money.Minor {
	off := d.Amount
	if d.Percent.IsGiven() {
		// Whole minor units of any currency are the integers of one without decimals. No percentage up to 100 of an
		// amount is too large; a larger one takes all.
		var err error
		if off, err = money.Whole(int64(price)).Mul(d.Percent.Hundredth()).Round("JPY"); err != nil {
			return max(price, 0)
		}
	}
	return max(min(off, price), 0)
}
