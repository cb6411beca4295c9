package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/costing"
	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// halfOff returns a paid month of the plan team, for 1000, before renewals with half off by a coupon.
func halfOff(t *testing.T, duration discount.Duration, periods int) *life {
	t.Helper()
	l := newLife(t, plans, settings, team, 0)
	l.until(created)
	l.result(answer.Succeeded)
	coupon := half(duration, periods)
	l.must(lifecycle.RedeemCoupon{Code: coupon.Code, Coupon: &coupon})
	return l
}

// half returns a coupon of 50 %.
func half(duration discount.Duration, periods int) discount.Coupon {
	return discount.Coupon{ID: "coup_1", Code: "HALF", Active: true, Terms: discount.Terms{
		Discount: discount.Discount{Percent: money.Whole(50)}, Duration: duration, Periods: periods,
	}}
}

// endedUnpaid returns a life with a coupon for one period, whose invoice is still unpaid when the next period ends the
// coupon.
func endedUnpaid(t *testing.T) (l *life, first invoice.Invoice) {
	t.Helper()
	l = halfOff(t, discount.Once, 0)
	require.Equal(t, money.Minor(500), l.renewed(false))
	first = l.last()
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, money.Minor(1000), l.last().Total)
	require.Empty(t, l.sub().Discounts)
	l.result(answer.Declined)
	return l, first
}

// renewed returns the total of the next renewal, and pays it with pays.
func (l *life) renewed(pays bool) money.Minor {
	l.until(l.sub().CurrentPeriod.End)
	total := l.last().Total
	if pays {
		l.result(answer.Succeeded)
	} else {
		l.result(answer.Declined)
	}
	return total
}

func (l *life) void(inv invoice.Invoice) {
	l.writtenOff = true
	l.must(l.voids(inv))
}

// One period with half off is promised. The first renewal has it and is voided: only the next one has it.
func TestVoidInvoice_GivesAOneTimeCouponAgain(t *testing.T) {
	t.Parallel()
	l := halfOff(t, discount.Once, 0)
	require.Equal(t, money.Minor(500), l.renewed(false))
	l.account.events = map[event.Type]int{}
	l.void(l.last())
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionUpdated])
	left, _ := l.sub().Discounts[0].Left(l.sub().PeriodIndex)
	require.Equal(t, 1, left)

	require.Equal(t, money.Minor(500), l.renewed(true))
	require.Equal(t, money.Minor(1000), l.renewed(true))
	require.Equal(t, 1, l.redeemed["coup_1"].count)
}

// The coupon has ended when the invoice is voided, and is given again.
func TestVoidInvoice_GivesACouponAgainThatHasEnded(t *testing.T) {
	t.Parallel()
	l, first := endedUnpaid(t)
	l.void(first)
	require.Equal(t, money.Minor(500), l.renewed(true))
	require.Equal(t, money.Minor(1000), l.renewed(true))
}

// The second of three periods is voided: the fourth has the third discount.
func TestVoidInvoice_GivesARepeatingCouponAgain(t *testing.T) {
	t.Parallel()
	l := halfOff(t, discount.Repeating, 3)
	require.Equal(t, money.Minor(500), l.renewed(true))
	require.Equal(t, money.Minor(500), l.renewed(false))
	l.void(l.last())
	for _, want := range []money.Minor{500, 500, 1000} {
		require.Equal(t, want, l.renewed(true))
	}
}

// An upgrade in the voided period has no discount: the next period has the coupon instead.
func TestVoidInvoice_CouponIsNotGivenTwice(t *testing.T) {
	t.Parallel()
	l := halfOff(t, discount.Once, 0)
	l.renewed(false)
	l.void(l.last())
	l.pass(2 * week)
	l.changePlan(pro, false)
	require.Zero(t, l.last().Discount)
	l.result(answer.Succeeded)
	require.Equal(t, pro.Prices[0].Amount/2, l.renewed(true))
	require.Equal(t, pro.Prices[0].Amount, l.renewed(true))
}

// After the end no coupon can be given again, so a redemption without a discount does not count, for every duration.
func TestVoidInvoice_OfACanceledSubscriptionFreesTheRedemption(t *testing.T) {
	t.Parallel()
	for duration, periods := range map[discount.Duration]int{discount.Once: 0, discount.Repeating: 3,
		discount.Forever: 0} {
		l := halfOff(t, duration, periods)
		l.renewed(false)
		l.cancelNow(false)
		require.Equal(t, 1, l.redeemed["coup_1"].count, "its invoice may be paid")
		l.void(l.open()[0])
		require.Zero(t, l.redeemed["coup_1"].count, duration)

		l = halfOff(t, duration, periods)
		l.renewed(false)
		l.void(l.last())
		l.cancelNow(false)
		require.Zero(t, l.redeemed["coup_1"].count, "the other way round it ends before it is given again")
	}
	l := halfOff(t, discount.Repeating, 3)
	l.renewed(true)
	l.renewed(false)
	l.cancelNow(false)
	l.void(l.open()[0])
	require.Equal(t, 1, l.redeemed["coup_1"].count, "it was given once")
}

// The first renewal had half off and was paid; a pause at the same instant credits all of it, with the discount. That
// invoice stands, so the coupon was given: voiding a later invoice frees no redemption.
func TestVoidInvoice_CouponOnACreditedInvoiceWasGiven(t *testing.T) {
	t.Parallel()
	l := halfOff(t, discount.Repeating, 2)
	require.Equal(t, money.Minor(500), l.renewed(true))
	paid := l.last()
	l.changePlan(pro, true) // the credit does not pay for it
	l.must(lifecycle.Pause{CreditUnused: true})
	credit := l.lastBack()
	require.Equal(t, paid.Lines[0].ID, credit.Lines[0].Reverses)
	require.Equal(t, money.Minor(-500), credit.Discount)
	l.pass(week)
	l.must(lifecycle.Resume{})
	require.Equal(t, pro.Prices[0].Amount/2, l.last().Discount)
	l.result(answer.Declined)
	l.cancelNow(false)

	l.void(l.open()[0])

	require.Equal(t, 1, l.redeemed["coup_1"].count)
}

// A redemption does not count either if the coupon is removed, or the subscription ends, before its first period.
func TestCoupon_NeverBegunCountsAsNotUsed(t *testing.T) {
	t.Parallel()
	l := halfOff(t, discount.Once, 0)
	l.must(lifecycle.RemoveCoupon{CouponID: "coup_1"})
	require.Zero(t, l.redeemed["coup_1"].count)
	l = halfOff(t, discount.Forever, 0)
	l.cancelNow(true)
	require.Zero(t, l.redeemed["coup_1"].count)
	l = halfOff(t, discount.Forever, 0)
	l.renewed(true)
	l.must(lifecycle.RemoveCoupon{CouponID: "coup_1"})
	require.Equal(t, 1, l.redeemed["coup_1"].count)
	require.Equal(t, subscription.Active, l.sub().Status)
}

// A one-time coupon ended unpaid and was redeemed again, and only then the first invoice is voided: two periods were
// promised.
func TestVoidInvoice_OfAnEarlierRedemption(t *testing.T) {
	t.Parallel()
	l, first := endedUnpaid(t)
	coupon := half(discount.Once, 0)
	state, _, err := lifecycle.Apply(
		l.load(false).state, lifecycle.RedeemCoupon{Code: coupon.Code, Coupon: &coupon}, l.moment(),
	)
	require.NoError(t, err)
	from := state.Subscription.Discounts[0].From
	void := l.voids(first)
	void.Coupons = []discount.Coupon{coupon}
	state, _, err = lifecycle.Apply(state, void, l.moment())
	require.NoError(t, err)
	d := state.Subscription.Discounts[0]
	require.Equal(t, from, d.From, "the second redemption holds for the next period, as promised")
	left, unbounded := d.Left(from)
	require.Equal(t, 2, left, "that one, and the one after it in place of the first redemption's")
	require.False(t, unbounded)
}

// Half off one period applies to its usage too, which is not rated yet when the invoice of the period is voided: it was
// given there, and is not given again.
func TestVoidInvoice_CouponOfUsageThatIsNotRatedWasGiven(t *testing.T) {
	t.Parallel()
	for name, percent := range map[string]bool{"a percentage": true, "an amount, which usage has not": false} {
		l := calling(t, 0)
		coupon := half(discount.Once, 0)
		if !percent {
			coupon.Discount = discount.Discount{Amount: 950}
			coupon.Currency = l.sub().Currency
		}
		l.must(lifecycle.RedeemCoupon{Code: coupon.Code, Coupon: &coupon})
		l.until(l.sub().CurrentPeriod.End)
		discounted := l.issue()
		require.Equal(t, money.Minor(950), discounted.Total, name)
		l.result(answer.Declined)
		l.call(l.now, 100)
		l.until(l.sub().CurrentPeriod.End) // the usage waits
		l.result(answer.Declined)

		l.void(*l.store.invoice(discounted.ID))

		usage := l.issue()
		require.Equal(t, percent, meteredDiscount(*usage) == 150, name)
		l.until(l.sub().CurrentPeriod.End)
		again := l.issue()
		require.Equal(t, !percent, again.Discount == 950, "%s: %+v", name, again)
	}
}

// A coupon does not apply to usage that costs nothing: it is given again.
func TestVoidInvoice_CouponOfUsageThatCostsNothingWasNotGiven(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]func(all []costing.Accruing) []costing.Accruing{
		"nothing is owed":   nil,
		"it is not counted": func([]costing.Accruing) []costing.Accruing { return nil },
		"it ended after it": func(all []costing.Accruing) []costing.Accruing {
			all[0].End = all[0].End.Add(-time.Second)
			return all
		},
	} {
		l := calling(t, 0)
		coupon := half(discount.Once, 0)
		l.must(lifecycle.RedeemCoupon{Code: coupon.Code, Coupon: &coupon})
		l.until(l.sub().CurrentPeriod.End)
		discounted := l.issue()
		l.result(answer.Declined)
		l.until(l.sub().CurrentPeriod.End)
		l.result(answer.Declined)

		void := l.voids(*l.store.invoice(discounted.ID))
		reduced := func(s metering.Segment) bool { return len(s.Reduced()) > 0 && s.PeriodIndex == discounted.PeriodIndex }
		void.Unbilled.Segments = slices.Clone(void.Unbilled.Segments)
		void.Unbilled.Segments = slices.DeleteFunc(void.Unbilled.Segments, func(s metering.Segment) bool { return !reduced(s) })
		void.Unbilled.Counted = slices.DeleteFunc(void.Unbilled.Counted, func(s costing.Accruing) bool {
			return !reduced(s.Segment)
		})
		require.Len(t, void.Unbilled.Segments, 1, name)
		unknown := count != nil
		if unknown {
			void.Unbilled.Counted = count(void.Unbilled.Counted)
		}
		l.writtenOff = true
		l.must(void)

		l.issue()
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, !unknown, l.issue().Discount == 950, name)
	}
}

// meteredDiscount returns the discount of usage lines.
func meteredDiscount(inv invoice.Invoice) (sum money.Minor) {
	for _, line := range inv.Lines {
		if line.Kind == invoice.Metered {
			sum += line.Discounts.Sum()
		}
	}
	return sum
}

// The decision that voids the invoice first passes the end of its period: the usage of the period has the coupon.
func TestVoidInvoice_CouponOfUsageWhosePeriodEndsWithIt(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	coupon := half(discount.Once, 0)
	l.must(lifecycle.RedeemCoupon{Code: coupon.Code, Coupon: &coupon})
	l.until(l.sub().CurrentPeriod.End)
	discounted := l.issue()
	l.result(answer.Declined)
	l.call(l.now, 100)
	l.until(l.sub().CurrentPeriod.End.Add(-time.Minute))
	l.result(answer.Declined)
	l.now = l.sub().CurrentPeriod.End.Add(time.Minute) // no worker has renewed the period

	l.void(*l.store.invoice(discounted.ID))

	require.Equal(t, money.Minor(150), meteredDiscount(*l.issue()))
	l.until(l.sub().CurrentPeriod.End)
	require.Zero(t, l.issue().Discount)
}
