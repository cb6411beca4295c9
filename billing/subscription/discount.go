package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
	"perennial/billing/fault"
)

// MaxDiscounts bounds the coupons that a subscription has at a time.
const MaxDiscounts = 10

// Discount is a redeemed coupon, with its terms at that time: later changes of the coupon do not count. The rest of it
// follows from the index of the period, so that retries cannot count a period twice.
type Discount struct {
	CouponID string `json:"couponId"`
	Code     string `json:"code"`
	discount.Terms
	From       int       `json:"from"` // the index of the first period with the discount; later where one was not given
	RedeemedAt time.Time `json:"redeemedAt"`
	// Began is the index of the first period of this redemption. It stays when From moves. 0: an older build redeemed it.
	Began int `json:"began,omitzero"`
	// Extra is the number of periods beyond its terms: those that an earlier redemption did not give, and what another
	// interval makes of the rest. Below zero: fewer.
	Extra int `json:"extra,omitzero"`
	// Skips is the index of a period whose invoice was voided: another period has the discount instead. 0: none.
	Skips int `json:"skips,omitzero"`
	// Uncounted: its redemption was in another system. The coupon's count here does not have it, so that it is not taken
	// off either.
	Uncounted bool `json:"uncounted,omitzero"`
}

// Discounts are those of one subscription, in the order in which invoices apply them.
type Discounts []Discount

// Left returns the number of periods that remain; unbounded reports that it has no end.
func (d Discount) Left(periodIndex int) (periods int, unbounded bool) {
	return d.use(periodIndex).Left()
}

func (d Discount) use(periodIndex int) discount.Use {
	return discount.Use{Terms: d.Terms, Periods: max(periodIndex-d.From, 0) - d.Extra}
}

// Holds reports whether the discount applies to a period.
func (d Discount) Holds(periodIndex int) bool {
	return periodIndex >= d.From && periodIndex != d.Skips && !d.use(periodIndex).Ended()
}

// The refusals of coupons.
var (
	ErrCouponRedeemed = fault.New(fault.Conflict, "coupon_already_redeemed",
		"The subscription has this coupon already. Redeem it again when it has ended, or use another coupon.").
		In("couponCode")
	ErrTooManyCoupons = fault.New(fault.Conflict, "coupon_limit",
		"The subscription has %d coupons, which is the most. Remove one first.", MaxDiscounts).In("couponCode")
)

// Redeem adds a coupon from the next period on: the first, where none is open.
func (s *Subscription) Redeem(c discount.Coupon, now time.Time) error {
	now = now.UTC().Truncate(time.Second)
	billed := s.PlanID
	for _, a := range s.AddOns { // the coupon may be for an add-on only
		if !c.For(billed) {
			billed = a.ID
		}
	}
	if err := c.Redeem(discount.Redemption{PlanID: billed, Currency: s.Currency, At: now}); err != nil {
		return err
	}
	s.Discounts = s.Discounts.Holding(s.PeriodIndex)
	if s.Discounts.Find(c.ID) >= 0 {
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

// Find returns the index of a coupon in the list; -1: the list does not have it.
func (d Discounts) Find(couponID string) int {
	return slices.IndexFunc(d, func(has Discount) bool { return has.CouponID == couponID })
}

// Without returns the list without one coupon.
func (d Discounts) Without(at int) Discounts {
	if len(d) == 1 {
		return nil
	}
	return slices.Delete(slices.Clone(d), at, at+1)
}

// maxEnded bounds the coupons that have ended and are still kept, since the subscription's row holds them.
const maxEnded = 50

// EndDiscounts removes the coupons that have ended before the current period. It keeps them as ended ones where lines
// with them may be of own periods that still run.
func (s *Subscription) EndDiscounts(run bool) {
	ended := slices.DeleteFunc(slices.Clone(s.Discounts), func(d Discount) bool { return !d.use(s.PeriodIndex).Ended() })
	s.Discounts = s.Discounts.Holding(s.PeriodIndex)
	switch {
	case !run:
		s.EndedDiscounts = nil
	case len(ended) > 0:
		all := slices.Concat(s.EndedDiscounts.Except(ended), ended)
		s.EndedDiscounts = all[max(len(all)-maxEnded, 0):]
	}
}

// Except returns the list without the coupons of another.
func (d Discounts) Except(others Discounts) Discounts {
	return slices.DeleteFunc(slices.Clone(d), func(one Discount) bool { return others.Find(one.CouponID) >= 0 })
}

// Holding returns the coupons that have not ended before a period.
func (d Discounts) Holding(periodIndex int) Discounts {
	ended := func(one Discount) bool { return one.use(periodIndex).Ended() }
	if !slices.ContainsFunc(d, ended) {
		return d
	}
	if d = slices.DeleteFunc(slices.Clone(d), ended); len(d) == 0 {
		return nil
	}
	return d
}
