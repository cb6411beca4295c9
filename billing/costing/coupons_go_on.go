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
// those that are for the new plan or add-on. They gain none that was redeemed since, which a change there and back, or
// an add-on that is removed and added again, would otherwise take off what was billed without it. Fault:
// amount_too_large.
func (s Period) Charged(on plan.Plan, left UnusedTime, charge []invoice.Line) ([]invoice.Line, error) {
	credits := replaced(s, on, left.Credits, charge)
	if len(credits) == 0 {
		return s.Discounted(left.Lines, charge)
	}
	back := givenBack(credits, s.PeriodIndex)
	var out, others []invoice.Line
	going := map[time.Time][]invoice.Line{}
	for _, l := range charge {
		if end := l.Period.End.UTC(); continues(s, on, l) && back[end].amounts != nil {
			going[end] = append(going[end], l)
		} else {
			others = append(others, l)
		}
	}
	for _, end := range slices.SortedFunc(maps.Keys(going), time.Time.Compare) { // shares are rounded in turn
		lines, err := keeping(s, back[end], end, slices.Concat(left.Lines, out), going[end])
		if err != nil {
			return nil, err
		}
		out = append(out, lines...)
	}
	others, err := s.Discounted(slices.Concat(left.Lines, out), others)
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

// keeping takes coupons off lines of one own period: those that are given back of periods before the current one, or,
// for lines that none of these is for, those of which the change gains nothing. with are the other lines of the
// invoice.
func keeping(s Period, back given, end time.Time, with, charge []invoice.Line) ([]invoice.Line, error) {
	lines, err := goingOn(s.Subscription, back, charge)
	if err != nil {
		return nil, err
	}
	began := firstBilled(s, end)
	var out, plain []invoice.Line
	for _, l := range lines {
		if len(l.Discounts) > 0 {
			out = append(out, l)
		} else {
			plain = append(plain, l)
		}
	}
	s.Discounts = slices.DeleteFunc(slices.Clone(s.Discounts), func(d subscription.Discount) bool {
		since := !d.Percent.IsGiven() || !d.Holds(began)
		return since && !slices.Contains(back.present, d.CouponID)
	})
	plain, err = s.Discounted(with, plain)
	return append(out, plain...), err
}

// given is what the credits of a change give back of coupons, for lines of one own period.
type given struct {
	amounts map[string]money.Minor // by coupon, of periods before the current one
	index   int                    // of the period of the subscription whose coupons they are
	present []string               // coupons that are given back of the current period
}

// givenBack returns what credits give back of coupons, by the end of the own period.
func givenBack(credits []invoice.Line, current int) map[time.Time]given {
	back := map[time.Time]given{}
	for _, l := range credits {
		end := l.Period.End.UTC()
		one, ok := back[end]
		if !ok {
			one.amounts = map[string]money.Minor{}
		}
		for _, share := range l.Discounts {
			if l.PeriodIndex >= current {
				one.present = append(one.present, share.CouponID)
				continue
			}
			one.amounts[share.CouponID] -= share.Amount
			one.index = max(one.index, l.PeriodIndex)
		}
		back[end] = one
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
