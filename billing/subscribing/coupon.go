package subscribing

import (
	"slices"
	"time"

	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// ErrCouponNotRedeemed refuses to remove a coupon that the subscription does not have.
var ErrCouponNotRedeemed = fault.New(fault.NotFound, "coupon_not_redeemed",
	"The subscription does not have this coupon. Those that it has are listed in its `discounts`.")

// RedeemCoupon gives the subscription a coupon, which applies from the next period on. Invoices of the current period
// do not change. Faults: subscription_canceled, change_pending, coupon_already_redeemed, coupon_limit, those of
// discount.Coupon.Redeem.
func (s Situation) RedeemCoupon(c discount.Coupon, now time.Time) (Decision, error) {
	if err := changeable(s, redeemCoupon); err != nil {
		return Decision{}, err
	}
	if err := s.Redeem(c, now); err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "discounts")}}, nil
}

// RemoveCoupon removes a coupon from all future invoices. Issued invoices keep it. Its redemption counts as used,
// unless no invoice has it. Faults: subscription_canceled, change_pending, coupon_not_redeemed.
func (s Situation) RemoveCoupon(couponID string, now time.Time) (Decision, error) {
	if err := changeable(s, removeCoupon); err != nil { // also beside a change whose invoice may be the first with it
		return Decision{}, err
	}
	at := s.Discounts.Find(couponID)
	if at < 0 {
		return Decision{}, ErrCouponNotRedeemed
	}
	unused := s.Discounts[at : at+1].NeverTakenOff(s.PeriodIndex)
	s.Discounts = s.Discounts.Without(at)
	return Decision{Subscription: s.Subscription, Unused: unused, Events: []event.Event{s.Updated(now, "discounts")}}, nil
}

// GiveAgain extends coupons, from the next period on, by the periods in which they were not given. A coupon without an
// end applies anyway, or starts then. For a canceled subscription, or a coupon that it cannot have any more, the
// redemption of a coupon that was never given counts as unused, if it was counted.
func (s Situation) GiveAgain(ungiven []subscription.Ungiven, now time.Time) Decision {
	var out Decision
	was := s.Discounts
	s.Discounts = slices.Clone(was)
	for _, u := range ungiven {
		elsewhere := uncounted(s.Subscription, u.CouponID)
		switch {
		case s.Status != subscription.Canceled && s.Discounts.GiveAgain(u, s.PeriodIndex, now):
			s.Discounts[s.Discounts.Find(u.CouponID)].Uncounted = elsewhere
		case u.Never && !elsewhere:
			out.Unused = append(out.Unused, u.CouponID)
		}
	}
	if len(s.Discounts) == 0 {
		s.Discounts = was
	}
	changed := !slices.EqualFunc(was, s.Discounts, func(a, b subscription.Discount) bool {
		return a.CouponID == b.CouponID && a.From == b.From && a.Extra == b.Extra && a.Skips == b.Skips
	})
	if changed {
		out.Events = []event.Event{s.Updated(now, "discounts")}
	}
	out.Subscription = s.Subscription
	return out
}

// uncounted reports whether the redemption of a coupon is not in its count. Of one that an imported subscription has
// lost it is not known: then it is not taken off, so that the coupon is never given too often.
func uncounted(s subscription.Subscription, couponID string) bool {
	if at := s.Discounts.Find(couponID); at >= 0 {
		return s.Discounts[at].Uncounted
	}
	return s.PaidElsewhereIndex != 0
}
