package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Half of 1, 1, 1, 1 and 4 is 4, of which the lines have 1, 0, 1, 0 and 2 in whole units. So those of plan A, the
// first, third and fifth, have 2 left, though half of 6 is 3. Before, all of plan A took 3 off the last line, which was
// 5 of its 4 then.
func TestTakeOff_NoMoreThanTheLineBills(t *testing.T) {
	t.Parallel()
	lines := []invoice.Line{
		{PlanID: "a", Amount: 1}, {PlanID: "b", Amount: 1}, {PlanID: "a", Amount: 1}, {PlanID: "b", Amount: 1},
		{PlanID: "a", Amount: 4},
	}
	percent := func(n int64) discount.Discount { return discount.Discount{Percent: money.Whole(n)} }
	lines, err := invoice.TakeOff(lines, []invoice.Reduction{
		{CouponID: "half", Discount: percent(50), For: func(string) bool { return true }},
		{CouponID: "all", Discount: percent(100), For: func(planID string) bool { return planID == "a" }},
	})
	require.NoError(t, err)
	var net []money.Minor
	for _, l := range lines {
		net = append(net, l.Net())
	}
	require.Equal(t, []money.Minor{0, 1, 0, 1, 0}, net)
	require.Equal(t, invoice.Shares{{CouponID: "half", Amount: 2}, {CouponID: "all", Amount: 2}}, lines[4].Discounts)
	require.Empty(t, lines[1].Discounts, "a share of nothing is none")
}

// Without coupons nothing is added up, and so nothing refused.
func TestTakeOff_NoCoupons(t *testing.T) {
	t.Parallel()
	lines := []invoice.Line{{Amount: money.MaxMinor}, {Amount: 1}}
	got, err := invoice.TakeOff(lines, nil)
	require.NoError(t, err)
	require.Equal(t, lines, got)
}

func TestDiscounts_OfAnInvoiceAreTheSumsOfItsLines(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{Lines: []invoice.Line{
		{Discounts: invoice.Shares{{CouponID: "a", Amount: 10}, {CouponID: "b", Amount: 20}, {CouponID: "c", Amount: 5}}},
		{Discounts: invoice.Shares{{CouponID: "a", Amount: 1}, {CouponID: "b", Amount: 2}, {CouponID: "c", Amount: -5}}},
	}}
	require.Equal(t, invoice.Shares{{CouponID: "a", Amount: 11}, {CouponID: "b", Amount: 22}}, inv.Discounts())
}
