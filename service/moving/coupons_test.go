package moving

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// The redemption of an imported coupon was never counted here, so that the end of its subscription, or its removal,
// leaves the count of those that were.
func TestImport_CouponIsNotTakenOffTheCount(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	svc, by := at(s)
	p := s.Plan(t, scene.Monthly(1000))
	c, err := svc.Catalog.CreateCoupon(t.Context(), by, discount.Coupon{Code: "HALF", MaxRedemptions: 1,
		Terms: discount.Terms{Discount: discount.Discount{Percent: money.Whole(50)}, Duration: discount.Forever}}, nil)
	require.NoError(t, err)
	do := func(id string, cmd lifecycle.Command) {
		require.NoError(t, svc.Subscriptions.Command(t.Context(), by, id, cmd, usecase.Around[usecase.Performed]{}))
	}
	here := s.Subscribe(t, s.Customer(t, ""), p)
	do(here.ID, lifecycle.RedeemCoupon{Code: "HALF"})
	redeemed := func() (n int) {
		require.NoError(t, s.Pool.QueryRow(t.Context(), "select redeemed from coupons where id = $1", c.ID).Scan(&n))
		return n
	}
	require.Equal(t, 1, redeemed())
	with := `,"coupons":[{"code":"HALF"}]`
	svc.imported(t, by, ImportOptions{}, customerOf(1), subscriptionOf(1, with), customerOf(2), subscriptionOf(2, with))

	for external, cmd := range map[string]lifecycle.Command{
		"s-1": lifecycle.Cancel{Immediate: true}, "s-2": lifecycle.RemoveCoupon{CouponID: c.ID},
	} {
		do(idOf(t, s, external), cmd)
		require.Equal(t, 1, redeemed(), external)
	}
	do(here.ID, lifecycle.RemoveCoupon{CouponID: c.ID})
	require.Zero(t, redeemed(), "the one that was counted")
}
