package costing

import (
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Discounted takes the coupons of the current period off lines that bill it. with are the other lines of their invoice.
// A percentage is taken off each line. An amount is taken off once per period: what lines of the period have of it
// already, and credits have not given back, is not taken off again. Fault: amount_too_large.
func (s Period) Discounted(with, lines []invoice.Line) ([]invoice.Line, error) {
	var coupons []invoice.Reduction
	for _, d := range s.Discounts {
		if !d.Holds(s.PeriodIndex) {
			continue
		}
		one := reductionOf(d)
		if one.Amount > 0 {
			if one.Amount -= s.takenOff(with, d.CouponID); one.Amount <= 0 {
				continue
			}
		}
		coupons = append(coupons, one)
	}
	return invoice.TakeOff(lines, coupons)
}

// takenOff returns the discount of a coupon on lines of the current period.
func (s Period) takenOff(with []invoice.Line, couponID string) (sum money.Minor) {
	add := func(lines []invoice.Line) {
		for _, l := range lines {
			if l.PeriodIndex == s.PeriodIndex {
				sum += l.Discounts.Of(couponID)
			}
		}
	}
	add(with)
	for _, closed := range [][]invoice.Invoice{s.Facts.Paid, s.Facts.WrittenOff} {
		for _, inv := range closed {
			if inv.Status != invoice.Void { // a void invoice takes nothing off
				add(inv.Lines)
			}
		}
	}
	return sum
}
