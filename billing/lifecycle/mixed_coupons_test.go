package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
)

// discounted returns a yearly plan with seats whose first month has a coupon.
func discounted(t *testing.T, terms discount.Terms) *life {
	t.Helper()
	c := discount.Coupon{ID: "coup_1", Code: "YEAR", Active: true, Terms: terms}
	return mixedLifeOf(t, annual, subscribing.NewInput{AddOns: *choose(seats), Coupon: &c})
}

func percent(p string, planIDs ...string) discount.Terms {
	return discount.Terms{Discount: discount.Discount{Percent: dec(p)}, Duration: discount.Once, PlanIDs: planIDs}
}

// A coupon of the first month was taken off the year. A change in the middle of the year keeps it for the rest, as far
// as the credit gives it back.
func TestMixed_CouponOfTheYear(t *testing.T) {
	t.Parallel()
	half := percent("50")
	off := discount.Terms{
		Discount: discount.Discount{Amount: 60_000}, Currency: "EUR", Duration: discount.Once, PlanIDs: []string{annual.ID, annual2.ID},
	}
	for name, c := range map[string]struct {
		terms    discount.Terms
		from, to plan.Plan
		whole    money.Minor // of the discount on the rest, if it were of a whole year
	}{
		"a percentage, and a dearer plan":   {half, annual, annual2, 60_000},
		"a percentage, and a cheaper plan":  {half, annual2, annual, 60_000},
		"an amount, and a dearer plan":      {off, annual, annual2, 60_000},
		"an amount, and a cheaper plan":     {off, annual2, annual, 60_000},
		"a coupon of the plan before alone": {percent("50", annual.ID), annual, annual2, 0},
	} {
		coupon := discount.Coupon{ID: "coup_1", Code: "YEAR", Active: true, Terms: c.terms}
		l := mixedLifeOf(t, c.from, subscribing.NewInput{AddOns: *choose(seats), Coupon: &coupon})
		l.months(5)
		at := l.now.AddDate(0, 0, 10)
		l.until(at)
		require.Empty(t, l.sub().Discounts, "it has ended")

		l.must(lifecycle.ChangePlan{Plan: &c.to})

		line := chargeOf(l, c.to)
		require.InDelta(t, int64(rest(c.whole, firstYear, at)), int64(line.Discounts.Sum()), 1, name)
		l.payAll()
		l.must(lifecycle.ChangePlan{Plan: &c.from})
		again := chargeOf(l, c.from)
		require.InDelta(t, int64(rest(c.whole, firstYear, at)), int64(again.Discounts.Sum()), 1, "%s, and back", name)
		l.months(8)
		require.Empty(t, l.sub().EndedDiscounts, name)
		require.Zero(t, l.last().Discount)
	}
}

// chargeOf returns the last charge for the rest of a plan's year.
func chargeOf(l *life, of plan.Plan) (line invoice.Line) {
	for _, inv := range l.store.all() {
		for _, one := range inv.Lines {
			if one.PlanID == of.ID && one.Prorated() && one.Kind.BillsTime() {
				line = one
			}
		}
	}
	return line
}

// Coupons count the periods of the subscription: three months beside seats, not three years.
func TestMixed_CouponsCountMonths(t *testing.T) {
	t.Parallel()
	terms := discount.Terms{Discount: discount.Discount{Percent: dec("50")}, Duration: discount.Repeating, Periods: 3}
	l := discounted(t, terms)
	l.months(12)
	require.Equal(t, []money.Minor{60_500, 500, 500, 1_000}, l.totals()[:4])
	require.EqualValues(t, 121_000, l.last().Total, "the second year is not reduced")
}
