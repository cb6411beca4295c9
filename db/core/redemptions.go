package core

import (
	"cmp"
	"context"
	"slices"

	"perennial/billing/discount"
	"perennial/db/internal/dbsqlc"
)

// RedeemCoupon counts a redemption with the commit. All that redeem one coupon wait for each other, so it is locked as
// late as can be, but before the counters of invoices and credit notes, for which all writers wait. The commit fails
// with discount.ErrUsedUp where none is left.
func (tx *Tx) RedeemCoupon(environmentID, id string) {
	tx.redeemed = append(tx.redeemed, redemption{environmentID: environmentID, couponID: id, none: discount.ErrUsedUp})
}

// UnredeemCoupon takes a redemption off the count with the commit: its discount was not given, and will not be.
func (tx *Tx) UnredeemCoupon(environmentID, id string) {
	tx.redeemed = append(tx.redeemed, redemption{environmentID: environmentID, couponID: id, less: true})
}

// redemption is a redemption that the commit counts, with the refusal where none is left, or one that it takes off the
// count.
type redemption struct {
	environmentID, couponID string
	none                    error
	less                    bool
}

// countRedemptions queues what RedeemCoupon and UnredeemCoupon remembered, in the order in which all lock coupons.
func (tx *Tx) countRedemptions(ctx context.Context) error {
	redeemed := tx.redeemed
	tx.redeemed = nil
	slices.SortStableFunc(redeemed, func(a, b redemption) int { return cmp.Compare(a.couponID, b.couponID) })
	for _, r := range redeemed {
		var err error
		if r.less {
			err = Queries.CouponUnredeem(ctx, tx.Pipe,
				dbsqlc.CouponUnredeemParams{EnvironmentID: r.environmentID, ID: r.couponID})
		} else {
			err = Queries.CouponRedeem(ctx, tx.Pipe.OrElse(r.none),
				dbsqlc.CouponRedeemParams{EnvironmentID: r.environmentID, ID: r.couponID})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
