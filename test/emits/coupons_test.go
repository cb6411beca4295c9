package emits

import (
	"strconv"
	"sync/atomic"

	"perennial/billing/discount"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/service/catalog"
)

// coupons set the scene of the requests about coupons.
var coupons = map[string]func(*stage) func() error{
	"createCoupon": func(s *stage) func() error {
		return func() error { _, err := s.coupon(); return err }
	},
	"updateCoupon": func(s *stage) func() error {
		made, err := s.coupon()
		no := false
		return func() error {
			if err == nil {
				_, err = s.service.Catalog.UpdateCoupon(s.ctx, s.by, made.ID, catalog.CouponUpdate{Active: &no}, nil)
			}
			return err
		}
	},
	"redeemCoupon": func(s *stage) func() error {
		l := s.active(1000)
		made, err := s.coupon()
		s.must(err)
		return func() error { return l.command(lifecycle.RedeemCoupon{Code: made.Code}) }
	},
	"removeCoupon": func(s *stage) func() error {
		l := s.active(1000)
		made, err := s.coupon()
		s.must(err)
		s.must(l.command(lifecycle.RedeemCoupon{Code: made.Code}))
		return func() error { return l.command(lifecycle.RemoveCoupon{CouponID: made.ID}) }
	},
}

var couponNumber atomic.Int64

func (s *stage) coupon() (discount.Coupon, error) {
	return s.service.Catalog.CreateCoupon(s.ctx, s.by, discount.Coupon{
		Code:  "CODE-" + strconv.FormatInt(couponNumber.Add(1), 10),
		Terms: discount.Terms{Discount: discount.Discount{Percent: money.Whole(10)}, Duration: discount.Once},
	}, nil)
}
