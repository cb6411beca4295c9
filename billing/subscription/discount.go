package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// MaxDiscounts bounds the coupons that a subscription has at a time.
const MaxDiscounts = 10

// Discount is a coupon that the subscription has redeemed, with the terms of then: what becomes of the coupon changes
// nothing. What is left of it follows from the index of the period, so that nothing counts it twice.
type Discount struct {
	CouponID string `json:"couponId"`
	Code     string `json:"code"`
	discount.Terms
	From       int       `json:"from"` // the index of the first period that it is taken off; later where one was not given
	RedeemedAt time.Time `json:"redeemedAt"`
	// Began is the index of the first period of this redemption, which stays where From moves; 0: a build from before
	// redeemed it.
	Began int `json:"began,omitzero"`
	// Extra is for how many periods more it holds than its terms say: those of an earlier redemption that were not given.
	Extra int `json:"extra,omitzero"`
	// Skips is the index of a period of which an invoice was voided: another period has it instead. 0: none.
	Skips int `json:"skips,omitzero"`
}

// Discounts are those of one subscription, in the order in which they are taken off.
type Discounts []Discount

// Left is how many periods it still holds for, from one on; unbounded says that there is no end.
func (d Discount) Left(periodIndex int) (periods int, unbounded bool) {
	return d.use(periodIndex).Left()
}

func (d Discount) use(periodIndex int) discount.Use {
	return discount.Use{Terms: d.Terms, Periods: max(periodIndex-d.From, 0) - d.Extra}
}

// holds reports whether it is taken off what is billed in a period.
func (d Discount) holds(periodIndex int) bool {
	return periodIndex >= d.From && periodIndex != d.Skips && !d.use(periodIndex).Ended()
}

// The refusals of coupons.
var (
	ErrCouponRedeemed = fault.New(fault.Conflict, "coupon_already_redeemed",
		"The subscription has this coupon already. Redeem it again when it has ended, or use another coupon.").In("couponCode")
	ErrTooManyCoupons = fault.New(fault.Conflict, "coupon_limit",
		"The subscription has %d coupons, which is the most. Remove one first.", MaxDiscounts).In("couponCode")
	ErrCouponNotRedeemed = fault.New(fault.NotFound, "coupon_not_redeemed",
		"The subscription does not have this coupon.")
)

// RedeemCoupon gives the subscription a coupon, which is taken off what is billed from the next period on: what is
// billed of the current one stays. Faults: subscription_canceled, coupon_already_redeemed, coupon_limit, those of
// discount.Coupon.Redeem.
func (s Situation) RedeemCoupon(c discount.Coupon, now time.Time) (Decision, error) {
	if err := permit(s.Status, redeemCoupon); err != nil {
		return Decision{}, err
	}
	if err := s.redeem(c, now); err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "discounts")}}, nil
}

// redeem begins with the next period that is opened: the first, where none is.
func (s *Subscription) redeem(c discount.Coupon, now time.Time) error {
	now = now.UTC().Truncate(time.Second)
	billed := s.PlanID
	for _, a := range s.AddOns { // it may be for an add-on alone
		if !c.For(billed) {
			billed = a.ID
		}
	}
	if err := c.Redeem(discount.Redemption{PlanID: billed, Currency: s.Currency, At: now}); err != nil {
		return err
	}
	s.Discounts = s.Discounts.holding(s.PeriodIndex)
	if s.Discounts.find(c.ID) >= 0 {
		return ErrCouponRedeemed
	}
	if len(s.Discounts) >= MaxDiscounts {
		return ErrTooManyCoupons
	}
	s.Discounts = append(slices.Clone(s.Discounts), Discount{
		CouponID: c.ID, Code: c.Code, Terms: c.Terms, From: s.PeriodIndex + 1, Began: s.PeriodIndex + 1, RedeemedAt: now,
	})
	return nil
}

// RemoveCoupon takes a coupon off nothing any more that is billed from now on. What was billed with it stays, and so
// does its redemption, unless it was taken off nothing yet. Faults: subscription_canceled, coupon_not_redeemed.
func (s Situation) RemoveCoupon(couponID string, now time.Time) (Decision, error) {
	if err := permit(s.Status, removeCoupon); err != nil {
		return Decision{}, err
	}
	at := s.Discounts.find(couponID)
	if at < 0 {
		return Decision{}, ErrCouponNotRedeemed
	}
	var unused []string
	if s.Discounts[at].From > s.PeriodIndex {
		unused = []string{couponID}
	}
	s.Discounts = s.Discounts.without(at)
	return Decision{Subscription: s.Subscription, Unused: unused, Events: []event.Event{s.updated(now, "discounts")}}, nil
}

// find returns the place of a coupon in the list; -1: it is not there.
func (d Discounts) find(couponID string) int {
	return slices.IndexFunc(d, func(has Discount) bool { return has.CouponID == couponID })
}

// without returns the list but for one coupon.
func (d Discounts) without(at int) Discounts {
	if len(d) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(d), at, at+1)
}

// holding returns the coupons that have not ended before a period.
func (d Discounts) holding(periodIndex int) Discounts {
	ended := func(one Discount) bool { return one.use(periodIndex).Ended() }
	if !slices.ContainsFunc(d, ended) {
		return d
	}
	if d = slices.DeleteFunc(slices.Clone(d), ended); len(d) == 0 {
		return nil
	}
	return d
}

// discounted takes the coupons of the current period off lines that bill it. with are the other lines of their invoice.
// A percentage is taken off each line. An amount is taken off once per period: what lines of the period have of it
// already, and credits have not given back, is not taken off again. Fault: amount_too_large.
func (s Period) discounted(with, lines []invoice.Line) ([]invoice.Line, error) {
	var coupons []invoice.Reduction
	for _, d := range s.Discounts {
		if !d.holds(s.PeriodIndex) {
			continue
		}
		left := d.Discount
		if left.Amount > 0 {
			if left.Amount -= s.takenOff(with, d.CouponID); left.Amount <= 0 {
				continue
			}
		}
		coupons = append(coupons, invoice.Reduction{CouponID: d.CouponID, Code: d.Code, Discount: left, For: d.For})
	}
	return invoice.TakeOff(lines, coupons)
}

// takenOff is what lines of the current period have of a coupon.
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
			if inv.Status != invoice.Void { // which has taken nothing off
				add(inv.Lines)
			}
		}
	}
	return sum
}
