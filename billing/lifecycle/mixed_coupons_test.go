package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
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

// redeem redeems a coupon of half of all prices, or of some plans' only, without an end.
func (l *life) redeem(planIDs ...string) {
	c := discount.Coupon{ID: "coup_2", Code: "SINCE", Active: true, Terms: percent("50", planIDs...)}
	c.Duration = discount.Forever
	l.must(lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c})
	l.months(1)
}

// What the year costs was billed without a coupon that is redeemed in the year: a change there and back gains nothing.
func TestMixed_CouponOfSinceIsNotGained(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]bool{"at once": true, "unpaid": false} {
		l := mixedLife(t, annual, seats)
		l.months(5)
		l.redeem()
		require.EqualValues(t, 500, l.last().Total, "seats of the month have it")
		l.until(l.now.AddDate(0, 0, 10))
		captured := l.capturedSum()

		for _, to := range []*plan.Plan{&annual2, &annual, &annual2, &annual} {
			l.must(lifecycle.ChangePlan{Plan: to})
			require.Empty(t, chargeOf(l, *to).Discounts, name)
			if pays {
				l.payAll()
			} else if l.live("") != nil {
				l.result(answer.Declined)
			}
		}

		require.Equal(t, captured, l.capturedSum()-l.store.balance-l.refunded(), name)
		l.months(6)
		require.EqualValues(t, 60_500, l.last().Total, "the next year has it")
	}
}

// Nor does an add-on that is removed and added again; one that is new has the coupon.
func TestMixed_CouponOfSinceAndAnAddOn(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, team, support)
	l.months(5)
	l.redeem()
	l.must(lifecycle.ChangePlan{AddOns: choose()})
	l.must(lifecycle.ChangePlan{AddOns: choose(support)})
	l.payAll()
	require.Empty(t, chargeOf(l, support).Discounts)

	l = mixedLife(t, team)
	l.months(5)
	l.redeem()
	l.must(lifecycle.ChangePlan{AddOns: choose(support)})
	l.payAll()
	off := chargeOf(l, support).Discounts.Sum()
	require.NotZero(t, off)
	two := []subscription.Chosen{{AddOn: support, Quantity: 2}}
	l.must(lifecycle.ChangePlan{AddOns: &two})
	require.Equal(t, off, chargeOf(l, support).Discounts.Sum(), "a flat price is not charged again")
}

// A change that replaces what was billed without a coupon of since, and adds something that ends at another time: that
// has the coupon.
func TestMixed_CouponOfSinceForWhatIsNew(t *testing.T) {
	t.Parallel()
	half := addOnOf("plan_half", quarterly(2), 6_000)
	l := newLifeOf(t, []plan.Plan{annual, annual2, seats, half}, settings, annual, subscribing.NewInput{AddOns: *choose(seats)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(1)
	l.redeem()
	l.must(lifecycle.ChangePlan{Plan: &annual2, AddOns: choose(seats, half)})
	require.Empty(t, chargeOf(l, annual2).Discounts)
	require.InDelta(t, int64(chargeOf(l, half).Amount/2), int64(chargeOf(l, half).Discounts.Sum()), 1)
}

// An add-on that joined in this month with a coupon of an amount keeps it for more units, up to the whole amount. The
// lines of an invoice are in the order of the items.
func TestMixed_CouponOfThePresentMonth(t *testing.T) {
	t.Parallel()
	sms, box := perUnit("plan_sms", quarterly(1), 3_000), addOnOf("plan_box", month, 0)
	plans := []plan.Plan{team, pro, sms, box}
	l := newLifeOf(t, plans, settings, team, subscribing.NewInput{AddOns: *choose(box)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.until(created.AddDate(0, 0, 2))
	c := discount.Coupon{ID: "coup_3", Code: "FIVE", Active: true, Terms: discount.Terms{
		Discount: discount.Discount{Amount: 5_000}, Currency: "EUR", Duration: discount.Forever, PlanIDs: []string{sms.ID, box.ID},
	}}
	l.must(lifecycle.RedeemCoupon{Code: c.Code, Coupon: &c})
	l.months(1)
	l.must(lifecycle.ChangePlan{AddOns: choose(box, sms)})
	l.payAll()
	one := chargeOf(l, sms)
	require.Equal(t, one.Amount, one.Discounts.Sum(), "the rest of a quarter costs less")
	l.until(l.now.AddDate(0, 0, 1))

	l.must(lifecycle.ChangePlan{Plan: &pro, AddOns: &[]subscription.Chosen{{AddOn: box}, {AddOn: sms, Quantity: 2}}})

	two := chargeOf(l, sms)
	require.Greater(t, two.Amount, one.Amount)
	require.Equal(t, two.Amount, two.Discounts.Sum())
	var charged []string
	for _, line := range l.last().Lines {
		if line.Kind.BillsTime() {
			charged = append(charged, line.PlanID)
		}
	}
	require.Equal(t, []string{pro.ID, sms.ID}, charged)
}

// A coupon that held when the year began is kept by what it is for, also after a change to a plan that it is not for,
// and by an add-on that is removed and added again.
func TestMixed_CouponOfTheBeginIsKept(t *testing.T) {
	t.Parallel()
	always := percent("50", annual.ID, support.ID)
	always.Duration = discount.Forever
	coupon := discount.Coupon{ID: "coup_1", Code: "YEAR", Active: true, Terms: always}
	l := mixedLifeOf(t, annual, subscribing.NewInput{AddOns: *choose(seats, support), Coupon: &coupon})
	l.months(5)
	l.until(l.now.AddDate(0, 0, 10))
	captured := l.capturedSum()

	l.must(lifecycle.ChangePlan{Plan: &annual2})
	l.payAll()
	require.Empty(t, chargeOf(l, annual2).Discounts)
	l.must(lifecycle.ChangePlan{Plan: &annual})
	l.payAll()
	require.InDelta(t, int64(rest(60_000, firstYear, l.now)), int64(chargeOf(l, annual).Discounts.Sum()), 1)
	l.must(lifecycle.ChangePlan{AddOns: choose(seats)})
	l.must(lifecycle.ChangePlan{AddOns: choose(seats, support)})
	l.payAll()

	require.InDelta(t, int64(rest(18_000, firstYear, l.now)), int64(chargeOf(l, support).Discounts.Sum()), 1)
	require.InDelta(t, int64(captured), int64(l.capturedSum()-l.store.balance-l.refunded()), 2, "but for rounding")
}

// halfOf returns a coupon of half of all prices for a number of periods.
func halfOf(periods int) discount.Coupon {
	terms := discount.Terms{Discount: discount.Discount{Percent: dec("50")}, Duration: discount.Repeating, Periods: periods}
	return discount.Coupon{ID: "coup_1", Code: "YEAR", Active: true, Terms: terms}
}

// A coupon keeps its time where the interval of the periods changes: three years stay three years beside seats of a
// month, in whose time these have it too; and what is left of 18 months when seats go is one more year, not six.
func TestMixed_CouponsKeepTheirTime(t *testing.T) {
	t.Parallel()
	c := halfOf(3)
	l := mixedLifeOf(t, annual, subscribing.NewInput{Coupon: &c})
	l.until(l.now.AddDate(0, 6, 10))
	l.must(lifecycle.ChangePlan{AddOns: choose(seats)})
	l.payAll()
	left, _ := l.sub().Discounts[0].Left(l.sub().PeriodIndex)
	require.Equal(t, 36-6, left)
	years := map[int]money.Minor{}
	for l.now.Before(created.AddDate(3, 1, 0)) {
		l.months(1)
		if months := ofMonths.IndexAt(l.now); months%12 == 0 {
			years[months/12] = l.last().Total
		}
	}
	require.Equal(t, map[int]money.Minor{1: 60_500, 2: 60_500, 3: 121_000}, years)

	c = halfOf(18)
	l = mixedLifeOf(t, annual, subscribing.NewInput{AddOns: *choose(seats), Coupon: &c})
	l.months(2)
	l.must(lifecycle.ChangePlan{AddOns: choose()})
	l.months(10)
	require.Equal(t, year, l.sub().Interval)
	require.EqualValues(t, 60_000, l.last().Total, "six months are left when the second year begins")
	l.until(created.AddDate(2, 0, 1))
	require.EqualValues(t, 120_000, l.last().Total)
}

// The same where the plan's interval changes: now, and at the end of the period.
func TestCoupons_KeepTheirTimeWithAnotherInterval(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		c := halfOf(12)
		l := mixedLifeOf(t, team, subscribing.NewInput{Coupon: &c})
		l.months(2)
		l.until(l.now.AddDate(0, 0, 3))
		l.must(lifecycle.ChangePlan{Plan: &annual, AtPeriodEnd: later})
		l.payAll()
		l.months(1)
		left, _ := l.sub().Discounts[0].Left(l.sub().PeriodIndex)
		require.Equal(t, 1, left, "nine months are left, in which one year begins")
		require.EqualValues(t, 60_000, l.last().Lines[len(l.last().Lines)-1].Net())
	}
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
