package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

func aCoupon(id, code string) discount.Coupon {
	return discount.Coupon{
		ID: id, Code: code, Name: "Welcome",
		Terms: discount.Terms{
			Discount: discount.Discount{Amount: 500}, Currency: eur, Duration: discount.Repeating, Periods: 3,
			PlanIDs: []string{"plan_1", "plan_2"},
		},
		MaxRedemptions: 2, RedeemBy: now.Add(time.Hour), Active: true, CreatedAt: wall,
	}
}

func TestCouponRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := aCoupon(id.New(id.Coupon, wall), "Welcome-5")
	percent := discount.Coupon{
		ID: id.New(id.Coupon, wall), Code: "TEN", Name: "Ten", CreatedAt: wall,
		Terms: discount.Terms{Discount: discount.Discount{Percent: money.Whole(5)}, Duration: discount.Once},
	}
	redeem := func(ctx context.Context, tx *db.Tx) error {
		tx.RedeemCoupon(b.env, want.ID)
		return nil
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertCoupon(ctx, b.env, want))
		require.NoError(t, tx.InsertCoupon(ctx, b.env, percent))
		locked, err := tx.LockCoupon(ctx, b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, locked)
		found, err := tx.CouponByCode(ctx, b.env, "ten")
		require.NoError(t, err)
		require.Equal(t, percent, found)
	})
	require.NoError(t, b.try(t, redeem))
	want.Name, want.RedeemBy, want.Redeemed = "Spring", time.Time{}, 1
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.SaveCoupon(ctx, b.env, want)) })
	require.NoError(t, b.try(t, redeem))
	requireFault(t, b.try(t, redeem), fault.Conflict, "coupon_used_up")
	want.Redeemed = 2

	active := true
	listed, more, err := b.store.Coupons(t.Context(), b.env, db.CouponFilter{Active: &active, Code: "WELCOME-5"}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []discount.Coupon{want}, listed)
	page, _, err := b.store.Coupons(t.Context(), b.env, db.CouponFilter{}, db.Page{StartingAfter: percent.ID})
	require.NoError(t, err)
	require.Equal(t, []discount.Coupon{want}, page)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertCoupon(ctx, b.env, aCoupon(id.New(id.Coupon, wall), "WELCOME-5"))
	})
	requireFault(t, err, fault.Conflict, "coupon_code_taken")
	_, err = b.pool.Exec(t.Context(), "update coupons set code = 'OTHER'")
	requireSQLState(t, err, "PB002")
}
