package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/lifecycle"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
)

// An add-on comes and goes within a month of its year: each time it has at most what its last credit gave back of the coupon.
func TestMixed_CouponOfAnAddOnThatComesAndGoes(t *testing.T) {
	t.Parallel()
	c := discount.Coupon{ID: "coup_1", Code: "SIXTY", Active: true, Terms: discount.Terms{
		Discount: discount.Discount{Amount: 6_000}, Currency: "EUR", Duration: discount.Forever,
		PlanIDs: []string{support.ID},
	}}
	l := newLifeOf(t, []plan.Plan{team, support}, settings, team, subscribing.NewInput{AddOns: *choose(support), Coupon: &c})
	l.mixed = true
	l.until(created)
	l.payAll()
	had := l.last().Discount
	l.months(2)
	for range 2 {
		l.until(l.now.AddDate(0, 0, 3))
		l.must(lifecycle.ChangePlan{AddOns: choose()})
		l.payAll()
		back := -l.lastBack().Lines[0].Discounts.Sum()
		require.NotZero(t, back)
		require.Less(t, back, had)
		l.until(l.now.AddDate(0, 0, 3))
		l.must(lifecycle.ChangePlan{AddOns: choose(support)})
		l.payAll()
		require.Equal(t, back, chargeOf(l, support).Discounts.Sum())
		had = back
	}
}

// A coupon that held when the year began, after months of another plan, is taken off what it is for.
func TestMixed_CouponOfAYearThatBeganLater(t *testing.T) {
	t.Parallel()
	l := newLifeOf(t, []plan.Plan{team, annual, annual2, seats}, settings, team, subscribing.NewInput{})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(3)
	c := discount.Coupon{ID: "coup_2", Code: "LATER", Active: true, Terms: percent("50", team.ID, annual2.ID)}
	c.Duration = discount.Forever
	l.must(lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c})
	l.until(l.now.AddDate(0, 0, 3))
	l.must(lifecycle.ChangePlan{Plan: &annual, AddOns: choose(seats)})
	l.payAll()
	require.Zero(t, l.last().Discount, "it is not for this plan")
	l.months(2)
	l.until(l.now.AddDate(0, 0, 4))
	l.payAll()

	l.must(lifecycle.ChangePlan{Plan: &annual2})

	line := chargeOf(l, annual2)
	require.InDelta(t, int64(line.Amount/2), int64(line.Discounts.Sum()), 1)
}

// An add-on that is new has a coupon of since, though the plan's year ends at the same time and was changed.
func TestMixed_CouponOfSinceForANewAddOnOfTheSameYear(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(4)
	l.redeem()
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.payAll()
	require.Empty(t, chargeOf(l, annual2).Discounts)
	l.must(lifecycle.ChangePlan{AddOns: choose(seats, support)})
	require.InDelta(t, int64(chargeOf(l, support).Amount/2), int64(chargeOf(l, support).Discounts.Sum()), 1)
}

// Each own period counts from its own begin: a coupon that held when a quarter began is taken off what changes in it,
// though a year began before.
func TestMixed_CouponOfTheBeginOfAQuarter(t *testing.T) {
	t.Parallel()
	one, two := addOnOf("plan_one", quarterly(1), 9_000), addOnOf("plan_two", quarterly(1), 12_000)
	plans := []plan.Plan{team, support, one, two}
	l := newLifeOf(t, plans, settings, team, subscribing.NewInput{AddOns: *choose(support, one)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(1)
	l.redeem(team.ID, two.ID)
	l.months(2)
	l.until(l.now.AddDate(0, 0, 10))

	l.must(lifecycle.ChangePlan{AddOns: choose(support, two)})

	require.InDelta(t, int64(chargeOf(l, two).Amount/2), int64(chargeOf(l, two).Discounts.Sum()), 1)
}
