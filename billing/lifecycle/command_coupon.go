package lifecycle

import "perennial/billing/discount"

// RedeemCoupon gives the subscription a coupon. The caller reads Coupon once it has the State. Faults: those of
// subscribing.RedeemCoupon.
type RedeemCoupon struct {
	Code   string
	Coupon *discount.Coupon // of that code
}

// Name returns redeem_coupon.
func (RedeemCoupon) Name() string { return "redeem_coupon" }

func (c RedeemCoupon) judge(d *Decision) (func() error, error) {
	made, err := d.situation().RedeemCoupon(*c.Coupon, d.Now)
	return func() error {
		d.Changes.Redeemed = c.Coupon.ID
		return d.carryOut(made)
	}, err
}

// RemoveCoupon takes a coupon from the subscription. Faults: those of subscribing.RemoveCoupon.
type RemoveCoupon struct{ CouponID string }

// Name returns remove_coupon.
func (RemoveCoupon) Name() string { return "remove_coupon" }

func (c RemoveCoupon) judge(d *Decision) (func() error, error) {
	made, err := d.situation().RemoveCoupon(c.CouponID, d.Now)
	return func() error { return d.carryOut(made) }, err
}
