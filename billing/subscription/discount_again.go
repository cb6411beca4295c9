package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
)

// Ungiven is a coupon of a voided invoice, with the periods in which no other invoice has it: the customer was promised
// the discount there and did not get it.
type Ungiven struct {
	CouponID string
	Periods  []int
	// Never: no invoice has it, in any period.
	Never bool
	// Coupon is set where the subscription has lost it; its terms never change. Nil: unknown.
	Coupon *discount.Coupon
}

// GiveAgain returns a coupon that was not given to the list, in a period. It reports whether the list has the coupon
// now.
func (d *Discounts) GiveAgain(u Ungiven, periodIndex int, now time.Time) bool {
	if at := d.Find(u.CouponID); at >= 0 {
		(*d)[at].giveAgain(u, periodIndex)
		return true
	}
	if u.Coupon == nil || u.Coupon.Duration == discount.Forever || len(*d) >= MaxDiscounts {
		return false
	}
	// The coupon had ended. Its new start leaves the missing number of periods, and skips the current period.
	all := max(u.Coupon.Periods, 1)
	*d = append(*d, Discount{
		CouponID: u.CouponID, Code: u.Coupon.Code, Terms: u.Coupon.Terms, RedeemedAt: now.UTC().Truncate(time.Second),
		From: periodIndex + 1 - all + len(u.Periods), Skips: periodIndex,
	})
	return true
}

// giveAgain extends a coupon by the periods in which it was not given. A coupon without an end starts again.
func (d *Discount) giveAgain(u Ungiven, periodIndex int) {
	if d.Duration == discount.Forever {
		if u.Never {
			d.From = periodIndex + 1
		}
		return
	}
	for _, p := range u.Periods {
		if p < d.Began { // of an earlier redemption: the periods of this one do not move
			d.Extra++
		} else {
			d.From++
		}
	}
	if slices.Contains(u.Periods, periodIndex) {
		d.Skips = periodIndex
	}
}

// NeverTakenOff returns the counted coupons that no invoice has yet, because their first period has not begun.
func (d Discounts) NeverTakenOff(periodIndex int) []string {
	return d.counted(func(one Discount) bool { return one.From > periodIndex })
}

// Counted returns the coupons whose redemption is in their count.
func (d Discounts) Counted() []string { return d.counted(func(Discount) bool { return true }) }

func (d Discounts) counted(of func(Discount) bool) (ids []string) {
	for _, one := range d {
		if !one.Uncounted && of(one) {
			ids = append(ids, one.CouponID)
		}
	}
	return ids
}
