package discount_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/discount"
	"perennial/billing/fault"
	"perennial/billing/money"
)

func percent(s string) discount.Discount {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return discount.Discount{Percent: d}
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		off         discount.Discount
		price, want money.Minor
	}{
		{"percent", percent("15"), 10_000, 1500},
		{"half a unit is rounded away from zero", percent("50"), 7, 4},
		{"less than half a unit", percent("0.1"), 100, 0},
		{"all", percent("100"), 999, 999},
		{"all of the largest price", percent("100"), money.MaxMinor, money.MaxMinor},
		{"beyond all", percent("150"), 999, 999},
		{"beyond the largest price", percent("150"), money.MaxMinor, money.MaxMinor},
		{"amount", discount.Discount{Amount: 500}, 999, 500},
		{"amount beyond the price", discount.Discount{Amount: 1000}, 999, 999},
		{"of nothing", discount.Discount{Amount: 1000}, 0, 0},
		{"of a credit", percent("50"), -100, 0},
		{"amount of a credit", discount.Discount{Amount: 10}, -100, 0},
	} {
		require.Equal(t, c.want, c.off.Of(c.price), c.name)
	}
}

func TestOf_NeverBeyondThePrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)).Draw(t, "price"))
		off := discount.Discount{Amount: money.Minor(rapid.Int64Range(1, int64(money.MaxMinor)).Draw(t, "amount"))}
		if rapid.Bool().Draw(t, "percent") {
			off = discount.Discount{Percent: money.Whole(rapid.Int64Range(1, 10_000).Draw(t, "hundredths")).Hundredth()}
		}
		require.NoError(t, off.Validate())
		got := off.Of(price)
		require.GreaterOrEqual(t, got, money.Minor(0))
		require.LessOrEqual(t, got, price)
	})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	once := discount.Coupon{Terms: discount.Terms{Discount: percent("10"), Duration: discount.Once}}
	for _, c := range []struct {
		name        string
		change      func(*discount.Coupon)
		code, param string
	}{
		{"once", func(*discount.Coupon) {}, "", ""},
		{"amount forever", func(c *discount.Coupon) {
			c.Discount, c.Currency, c.Duration = discount.Discount{Amount: 1}, "EUR", discount.Forever
		}, "", ""},
		{"repeating", func(c *discount.Coupon) { c.Duration, c.Periods, c.MaxRedemptions = discount.Repeating, 120, 5 }, "", ""},
		{"all of it, for one period", func(c *discount.Coupon) {
			c.Discount, c.Duration, c.Periods = percent("100"), discount.Repeating, 1
		}, "", ""},
		{"neither", func(c *discount.Coupon) { c.Discount = discount.Discount{} }, "discount_kind_unclear", "percent"},
		{"both", func(c *discount.Coupon) { c.Amount = 1 }, "discount_kind_unclear", "percent"},
		{"zero percent", func(c *discount.Coupon) { c.Discount = percent("0") }, "discount_out_of_range", "percent"},
		{"101 percent", func(c *discount.Coupon) { c.Discount = percent("100.01") }, "discount_out_of_range", "percent"},
		{"negative amount", func(c *discount.Coupon) {
			c.Discount = discount.Discount{Amount: -1}
		}, "discount_out_of_range", "amount"},
		{"amount too large", func(c *discount.Coupon) {
			c.Discount = discount.Discount{Amount: money.MaxMinor + 1}
		}, "amount_too_large", "amount"},
		{"amount without currency", func(c *discount.Coupon) {
			c.Discount = discount.Discount{Amount: 1}
		}, "coupon_currency_unclear", "currency"},
		{"percent with currency", func(c *discount.Coupon) { c.Currency = "EUR" }, "coupon_currency_unclear", "currency"},
		{"no duration", func(c *discount.Coupon) { c.Duration = "" }, "coupon_duration_unknown", "duration"},
		{"periods of once", func(c *discount.Coupon) { c.Periods = 2 }, "coupon_periods_out_of_range", "periods"},
		{"no periods", func(c *discount.Coupon) { c.Duration = discount.Repeating }, "coupon_periods_out_of_range", "periods"},
		{"negative bound", func(c *discount.Coupon) {
			c.MaxRedemptions = -1
		}, "coupon_redemptions_out_of_range", "maxRedemptions"},
	} {
		coupon := once
		c.change(&coupon)
		err := coupon.Validate()
		if c.code == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.Error(t, err, c.name)
		f := fault.From(err)
		require.Equal(t, []string{c.code, c.param}, []string{f.Code, f.Param}, c.name)
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		duration         discount.Duration
		periods, over    int
		left             int
		unbounded, ended bool
	}{
		{discount.Once, 0, 0, 1, false, false},
		{discount.Once, 0, 1, 0, false, true},
		{discount.Repeating, 3, 2, 1, false, false},
		{discount.Repeating, 3, 3, 0, false, true},
		{discount.Repeating, 3, 4, 0, false, true},
		{discount.Forever, 0, 500, 0, true, false},
	} {
		use := discount.Use{Terms: discount.Terms{Duration: c.duration, Periods: c.periods}, Periods: c.over}
		left, unbounded := use.Left()
		require.Equal(t, []any{c.left, c.unbounded, c.ended}, []any{left, unbounded, use.Ended()}, c)
	}
}

func TestRedeem(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		change func(*discount.Coupon)
		code   string
	}{
		{"without bounds", func(c *discount.Coupon) { c.Redeemed = 1_000_000 }, ""},
		{"one left", func(c *discount.Coupon) { c.MaxRedemptions, c.Redeemed = 2, 1 }, ""},
		{"none left", func(c *discount.Coupon) { c.MaxRedemptions, c.Redeemed = 2, 2 }, "coupon_used_up"},
		{"inactive", func(c *discount.Coupon) { c.Active = false }, "coupon_inactive"},
		{"a second early", func(c *discount.Coupon) { c.RedeemBy = now.Add(time.Second) }, ""},
		{"expired", func(c *discount.Coupon) { c.RedeemBy = now }, "coupon_expired"},
		{"of its currency", func(c *discount.Coupon) { c.Currency = "EUR" }, ""},
		{"of another currency", func(c *discount.Coupon) { c.Currency = "USD" }, "coupon_currency_mismatch"},
		{"for its plan", func(c *discount.Coupon) { c.PlanIDs = []string{"plan_2", "plan_1"} }, ""},
		{"for another plan", func(c *discount.Coupon) { c.PlanIDs = []string{"plan_2"} }, "coupon_not_for_plan"},
	} {
		coupon := discount.Coupon{Active: true}
		c.change(&coupon)
		err := coupon.Redeem(discount.Redemption{PlanID: "plan_1", Currency: "EUR", At: now})
		if c.code == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.code, c.name)
	}
}

func TestCheckCode(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"A", "welcome-10", "2026_SPRING"} {
		require.NoError(t, discount.CheckCode(code), code)
	}
	for _, code := range []string{"", "-A", "10 %", "ÄPFEL", strings.Repeat("A", 51), "A\n"} {
		require.ErrorContains(t, discount.CheckCode(code), "coupon_code_invalid", code)
	}
}
