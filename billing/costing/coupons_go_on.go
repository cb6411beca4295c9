package costing

import (
	"maps"
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Charged is Discounted for what a change charges. Lines of a longer own period that began before the current one keep
// the coupons of its begin, also where these have ended: as far as the credits of the change give them back, and only
// those that are for the new plan or add-on. Fault: amount_too_large.
func (s Period) Charged(on plan.Plan, left UnusedTime, charge []invoice.Line) ([]invoice.Line, error) {
	back := givenBack(left.Credits, s.PeriodIndex)
	if len(back) == 0 {
		return s.Discounted(left.Lines, charge)
	}
	var out, others []invoice.Line
	going := map[time.Time][]invoice.Line{}
	for _, l := range charge {
		if _, ok := back[l.Period.End]; ok && s.Longer(s.Facts.holder(on, l.PriceID).Interval) {
			going[l.Period.End] = append(going[l.Period.End], l)
		} else {
			others = append(others, l)
		}
	}
	for _, end := range slices.SortedFunc(maps.Keys(going), time.Time.Compare) { // shares are rounded in turn
		lines, err := goingOn(s.Subscription, back[end], going[end])
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if len(l.Discounts) > 0 {
				out = append(out, l)
			} else {
				others = append(others, l)
			}
		}
	}
	others, err := s.Discounted(left.Lines, others)
	if err != nil {
		return nil, err
	}
	out = append(out, others...)
	at := func(l invoice.Line) int {
		return slices.IndexFunc(charge, func(c invoice.Line) bool { return c.ItemID == l.ItemID })
	}
	slices.SortStableFunc(out, func(a, b invoice.Line) int { return at(a) - at(b) })
	return out, nil
}

// given is what the credits of a change give back of coupons, for lines of one own period.
type given struct {
	amounts map[string]money.Minor // by coupon
	index   int                    // of the period of the subscription whose coupons they are
}

// givenBack returns what credits give back of the coupons of periods before the current one, by the end of the own
// period.
func givenBack(credits []invoice.Line, current int) map[time.Time]given {
	back := map[time.Time]given{}
	for _, l := range credits {
		if l.PeriodIndex >= current || l.Discounts.Sum() >= 0 {
			continue
		}
		one, ok := back[l.Period.End]
		if !ok {
			one.amounts = map[string]money.Minor{}
		}
		for _, share := range l.Discounts {
			one.amounts[share.CouponID] -= share.Amount
		}
		one.index = max(one.index, l.PeriodIndex)
		back[l.Period.End] = one
	}
	return back
}

// goingOn takes the coupons that are given back off lines: a percentage that still holds all of them, others at most
// what is given back. Such lines are of the period whose coupons they have, so that these count as given there.
func goingOn(s subscription.Subscription, back given, lines []invoice.Line) ([]invoice.Line, error) {
	var coupons []invoice.Reduction
	for _, d := range slices.Concat(s.EndedDiscounts.Except(s.Discounts), s.Discounts) {
		one, most := reductionOf(d), back.amounts[d.CouponID]
		if most == 0 {
			continue
		}
		if holds := d.Percent.IsGiven() && d.Holds(s.PeriodIndex); !holds {
			var err error
			if one, err = atMost(one, most, lines, coupons); err != nil {
				return nil, err
			}
		}
		coupons = append(coupons, one)
	}
	out, err := invoice.TakeOff(lines, coupons)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if len(out[i].Discounts) > 0 {
			out[i].PeriodIndex = back.index
		}
	}
	return out, nil
}

// atMost bounds what a coupon takes off lines after other coupons.
func atMost(
	one invoice.Reduction, most money.Minor, lines []invoice.Line, after []invoice.Reduction,
) (invoice.Reduction, error) {
	off, err := invoice.TakeOff(lines, append(slices.Clone(after), one))
	if err != nil {
		return one, err
	}
	var sum money.Minor
	for _, l := range off {
		sum += l.Discounts.Of(one.CouponID)
	}
	if sum > most {
		one.Percent, one.Amount = money.Decimal{}, most
	}
	return one, nil
}

// reductionOf returns a redeemed coupon as it is taken off lines.
func reductionOf(d subscription.Discount) invoice.Reduction {
	return invoice.Reduction{CouponID: d.CouponID, Code: d.Code, Discount: d.Discount, For: d.For}
}
