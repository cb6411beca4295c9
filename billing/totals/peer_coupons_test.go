package totals_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

type peerCoupon struct {
	Percent   money.Decimal `json:"percent_off"`
	Amount    money.Minor   `json:"amount_off"`
	Used      money.Minor   `json:"already_used"` // by earlier invoices, so that less is left
	Frequency string        // how long it lasts, which its amount does not depend on
	Fees      *[]int        // an empty list is none
}

func (c peerCoupon) discount() totals.Discount {
	off := totals.Discount{Discount: discount.Discount{Percent: c.Percent, Amount: c.Amount - c.Used}}
	if c.Fees != nil {
		off.Lines = *c.Fees
	}
	return off
}

func checkCouponAmount(t *testing.T, in struct {
	Base   money.Minor
	Coupon peerCoupon
}, want struct{ Discount money.Minor }) {
	require.Equal(t, want.Discount, in.Coupon.discount().Of(in.Base))
}

type couponTotalsInput struct {
	Fees []struct {
		Amount money.Minor
		Rates  []money.Decimal `json:"tax_rates_percent"`
	}
	Coupons []peerCoupon
}

func (in couponTotalsInput) draft() totals.Draft {
	var d totals.Draft
	place := map[string]int{}
	for _, fee := range in.Fees {
		line := totals.Line{Amount: fee.Amount}
		for _, percent := range fee.Rates {
			r, known := place[percent.String()]
			if !known {
				r = len(d.Rates)
				place[percent.String()] = r
				d.Rates = append(d.Rates, tax.Rate{Percent: percent})
			}
			line.Rates = append(line.Rates, r)
		}
		d.Lines = append(d.Lines, line)
	}
	for _, coupon := range in.Coupons {
		d.Discounts = append(d.Discounts, coupon.discount())
	}
	return d
}

// coarse is the possible error of the peer's shares: it rounds them to five decimals after each coupon.
var coarse = big.NewRat(1, 50_000)

type couponTotalsResult struct {
	FeeDiscounts []string      `json:"fee_discounts"` // exact minor units, to five decimals
	FeeTaxes     []money.Minor `json:"fee_taxes"`
	Fees         *money.Minor  `json:"fees_total"`
	Discount     *money.Minor
	Net          *money.Minor
	Tax          *money.Minor
	Total        *money.Minor
	Taxes        []struct {
		Percent money.Decimal `json:"rate_percent"`
		Base    money.Minor
		Tax     money.Minor
	}
	Average *money.Decimal `json:"average_rate_percent"`
}

// checkCouponTotals rounds the exact shares and taxes of single fees as the peer shows them; ours are rounded by
// invoice.
func checkCouponTotals(t *testing.T, in couponTotalsInput, want couponTotalsResult) {
	d := in.draft()
	got, err := totals.Of(d)
	require.NoError(t, err)
	equalMinor(t, want.Fees, got.Subtotal, "fees")
	equalMinor(t, want.Discount, got.Discount, "discount")
	equalMinor(t, want.Net, got.Subtotal-got.Discount, "net")
	equalMinor(t, want.Tax, got.Tax, "tax")
	equalMinor(t, want.Total, got.Total, "total")
	for i, exact := range want.FeeDiscounts {
		share := new(big.Rat).SetInt64(int64(d.Lines[i].Amount))
		expected, ok := new(big.Rat).SetString(exact)
		require.True(t, ok)
		difference := share.Sub(share, got.Lines[i].Net).Sub(share, expected)
		require.LessOrEqual(t, difference.Abs(difference).Cmp(coarse), 0, "share of fee %d is off by %s", i, difference)
	}
	for i, fee := range want.FeeTaxes {
		var percent money.Decimal
		for _, r := range d.Lines[i].Rates {
			percent = percent.Add(d.Rates[r].Percent)
		}
		exact := new(big.Rat).Mul(got.Lines[i].Net, percent.Hundredth().Rat())
		require.Equal(t, money.Whole(int64(fee)).String(), exact.FloatString(0))
	}
	require.True(t, want.Taxes == nil || len(want.Taxes) == len(d.Rates))
	for i, expected := range want.Taxes {
		require.Zero(t, expected.Percent.Cmp(d.Rates[i].Percent))
		require.Equal(t, totals.TaxSum{Base: expected.Base, Amount: expected.Tax}, got.Taxes[i])
	}
	if want.Average != nil {
		average := new(big.Rat).SetFrac64(100*int64(got.Tax), int64(got.Subtotal-got.Discount))
		expected := want.Average.Rat()
		require.Equal(t, expected.FloatString(4), average.FloatString(4))
	}
}

type couponLifecycleInput struct {
	Frequency string
	Left      int  `json:"periods_left"`
	FullyUsed bool `json:"fully_used"` // true: partlyUsed decides about it
}

type couponLifecycleResult struct {
	Ended *bool
	Left  *int `json:"periods_left"`
}

// checkCouponLifecycle takes a coupon off one more invoice.
func checkCouponLifecycle(t *testing.T, in couponLifecycleInput, want couponLifecycleResult) {
	durations := map[string]discount.Duration{
		"once": discount.Once, "recurring": discount.Repeating, "forever": discount.Forever,
	}
	use := discount.Use{Terms: discount.Terms{Duration: durations[in.Frequency], Periods: in.Left}, Periods: 1}
	require.NotEmpty(t, use.Terms.Duration)
	if want.Ended != nil {
		require.Equal(t, *want.Ended, use.Ended())
	}
	if want.Left != nil {
		left, _ := use.Left()
		require.Equal(t, *want.Left, left)
	}
}

func checkRedemptions(t *testing.T, in struct {
	Max      int `json:"max_redemptions"`
	Invoices int `json:"applied_to_invoices"`
}, want struct {
	Applied     []bool
	Redemptions *int
}) {
	coupon := discount.Coupon{MaxRedemptions: in.Max, Active: true}
	var applied []bool
	for range in.Invoices {
		err := coupon.Redeem(discount.Redemption{})
		applied = append(applied, err == nil)
		if err == nil {
			coupon.Redeemed++
		}
	}
	require.Equal(t, want.Applied, applied)
	if want.Redemptions != nil {
		require.Equal(t, *want.Redemptions, coupon.Redeemed)
	}
}
