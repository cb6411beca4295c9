package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
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

// GiveAgain changes the list, in a period, by a coupon that was not given, and reports whether the coupon is still
// there, or again.
func (d *Discounts) GiveAgain(u Ungiven, periodIndex int, now time.Time) bool {
	if at := d.Find(u.CouponID); at >= 0 {
		(*d)[at].giveAgain(u, periodIndex)
		return true
	}
	if u.Coupon == nil || u.Coupon.Duration == discount.Forever || len(*d) >= MaxDiscounts {
		return false
	}
	// It had ended. It begins so that as many periods are left of it, and not with the current one.
	all := max(u.Coupon.Periods, 1)
	*d = append(*d, Discount{
		CouponID: u.CouponID, Code: u.Coupon.Code, Terms: u.Coupon.Terms, RedeemedAt: now.UTC().Truncate(time.Second),
		From: periodIndex + 1 - all + len(u.Periods), Skips: periodIndex,
	})
	return true
}

// giveAgain lets a coupon hold for the periods in which it was not given. One without an end begins again.
func (d *Discount) giveAgain(u Ungiven, periodIndex int) {
	if d.Duration == discount.Forever {
		if u.Never {
			d.From = periodIndex + 1
		}
		return
	}
	for _, p := range u.Periods {
		if p < d.Began { // of an earlier redemption: what this one promised stays where it is
			d.Extra++
		} else {
			d.From++
		}
	}
	if slices.Contains(u.Periods, periodIndex) {
		d.Skips = periodIndex
	}
}

// NeverTakenOff returns the coupons that were taken off nothing, because no period has begun that they are for.
func (d Discounts) NeverTakenOff(periodIndex int) (ids []string) {
	for _, one := range d {
		if one.From > periodIndex {
			ids = append(ids, one.CouponID)
		}
	}
	return ids
}
