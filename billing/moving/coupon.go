package moving

import (
	"fmt"
	"slices"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// Coupon is a coupon that a subscription has redeemed. Its terms are those of the coupon with the code here.
type Coupon struct {
	Code string `json:"code"`
	// PeriodsLeft is the number of periods that have it, from the next one on; 0: all of the coupon's, or without end.
	PeriodsLeft int  `json:"periodsLeft,omitempty"`
	RedeemedAt  Time `json:"redeemedAt,omitzero"` // zero: now
}

// CouponsOf returns the records of the coupons that a subscription's next period still has.
func CouponsOf(s subscription.Subscription) (coupons []Coupon) {
	next := s.PeriodIndex + 1
	for _, d := range s.Discounts {
		left, unbounded := d.Left(next)
		if !unbounded && left == 0 {
			continue
		}
		coupons = append(coupons, Coupon{Code: d.Code, PeriodsLeft: left, RedeemedAt: At(d.RedeemedAt)})
	}
	return coupons
}

// redeem gives a subscription the coupons of its record, also those that cannot be redeemed any more. The period that
// runs was billed elsewhere. Faults: coupon_limit, coupon_already_redeemed, coupon_currency_mismatch,
// coupon_not_for_plan, import_coupon_periods.
func (r Subscription) redeem(s *subscription.Subscription, in Setting) error {
	for i, one := range r.Coupons {
		c, field := in.Coupons[i], fmt.Sprintf("coupons[%d].", i)
		most := c.Periods
		switch c.Duration {
		case discount.Once:
			most = 1
		case discount.Forever:
			most = 0
		case discount.Repeating:
		}
		left := one.PeriodsLeft
		if left == 0 {
			left = most
		}
		sold := func(planID string) bool { return c.For(planID) }
		switch {
		case len(s.Discounts) >= subscription.MaxDiscounts:
			return subscription.ErrTooManyCoupons.In(field + "code")
		case s.Discounts.Find(c.ID) >= 0:
			return subscription.ErrCouponRedeemed.In(field + "code")
		case c.Currency != "" && c.Currency != s.Currency:
			return discount.ErrCurrency.In(field + "code")
		case !sold(s.PlanID) && !slices.ContainsFunc(s.AddOns, func(a subscription.AddOn) bool { return sold(a.ID) }):
			return discount.ErrPlan.In(field + "code")
		case left < 0 || left > most:
			return fault.InvalidParam(field+"periodsLeft", "import_coupon_periods",
				"`periodsLeft` must be 1 to the number of periods of the coupon, which is %d. Omit it for a coupon without end.", most)
		}
		redeemed := s.CreatedAt
		if !one.RedeemedAt.Time.IsZero() {
			redeemed = one.RedeemedAt.Time
		}
		s.Discounts = append(s.Discounts, subscription.Discount{
			CouponID: c.ID, Code: c.Code, Terms: c.Terms, RedeemedAt: redeemed,
			From: s.PeriodIndex + 1 - (most - left), Began: s.PeriodIndex + 1, Uncounted: true,
		})
	}
	return nil
}
