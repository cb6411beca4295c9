package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
	"perennial/billing/event"
)

// Ungiven is a coupon that a voided invoice had taken off in periods in which nothing else has it: it was promised
// there and not given.
type Ungiven struct {
	CouponID string
	Periods  []int
	// Never: it was taken off nothing else, in no period.
	Never bool
	// Coupon is of the subscription no longer, but its terms never change; nil: it is not known.
	Coupon *discount.Coupon
}

// GiveAgain lets coupons hold for as many periods more as they were not given in, from the next one on. One that has no
// end holds anyway, or begins then. To a canceled subscription nothing is given again: the redemption of what was never
// given counts as not used, and so does that of a coupon that it cannot have any more.
func (s Situation) GiveAgain(ungiven []Ungiven, now time.Time) Decision {
	var out Decision
	was := s.Discounts
	s.Discounts = slices.Clone(was)
	for _, u := range ungiven {
		if s.Status == Canceled || !s.giveAgain(u, now) {
			if u.Never {
				out.Unused = append(out.Unused, u.CouponID)
			}
		}
	}
	if len(s.Discounts) == 0 {
		s.Discounts = was
	}
	changed := !slices.EqualFunc(was, s.Discounts, func(a, b Discount) bool {
		return a.CouponID == b.CouponID && a.From == b.From && a.Extra == b.Extra && a.Skips == b.Skips
	})
	if changed {
		out.Events = []event.Event{s.updated(now, "discounts")}
	}
	out.Subscription = s.Subscription
	return out
}

// giveAgain reports whether the subscription has the coupon still, or again.
func (s *Subscription) giveAgain(u Ungiven, now time.Time) bool {
	if at := s.indexDiscount(u.CouponID); at >= 0 {
		d := &s.Discounts[at]
		if d.Duration == discount.Forever {
			if u.Never { // it begins again
				d.From = s.PeriodIndex + 1
			}
			return true
		}
		for _, p := range u.Periods {
			if p < d.Began { // of an earlier redemption: what this one promised stays where it is
				d.Extra++
			} else {
				d.From++
			}
		}
		if slices.Contains(u.Periods, s.PeriodIndex) {
			d.Skips = s.PeriodIndex
		}
		return true
	}
	if u.Coupon == nil || u.Coupon.Duration == discount.Forever || len(s.Discounts) >= MaxDiscounts {
		return false
	}
	// It had ended. It begins so that as many periods are left of it, and not with the current one.
	all := max(u.Coupon.Periods, 1)
	s.Discounts = append(s.Discounts, Discount{
		CouponID: u.CouponID, Code: u.Coupon.Code, Terms: u.Coupon.Terms, RedeemedAt: now.UTC().Truncate(time.Second),
		From: s.PeriodIndex + 1 - all + len(u.Periods), Skips: s.PeriodIndex,
	})
	return true
}

// neverTakenOff are the coupons that were taken off nothing, because no period has begun that they are for.
func (s Subscription) neverTakenOff() (ids []string) {
	for _, d := range s.Discounts {
		if d.From > s.PeriodIndex {
			ids = append(ids, d.CouponID)
		}
	}
	return ids
}
