package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// Half of the period is used: the other half is credited, or lost without proration. The next period is whole.
func TestMoveAnchor(t *testing.T) {
	t.Parallel()
	for how, total := range map[subscription.ProrationBehavior]money.Minor{
		"": 500, subscription.NextInvoice: 500, subscription.NoProration: 1000,
	} {
		l := paidHalf(t)
		l.account.how = how

		l.must(lifecycle.MoveAnchor{Proration: how})

		require.Equal(t, []money.Minor{1000, total}, l.totals(), how)
		require.Equal(t, period.Period{Start: l.now, End: l.now.AddDate(0, 1, 0)}, l.sub().CurrentPeriod)
		l.result(payment.AnswerSucceeded)
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, []money.Minor{1000, total, 1000}, l.totals(), how)
	}
}

// What is unpaid of the period that ends is taken in, which a payment in progress refuses.
func TestMoveAnchor_UnpaidPeriod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	_, err := l.apply(lifecycle.MoveAnchor{})
	require.ErrorIs(t, err, subscription.ErrPaymentPending)
	l.failToPastDue()
	_, err = l.apply(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	require.ErrorIs(t, err, subscription.ErrPeriodUnpaid)

	l.must(lifecycle.MoveAnchor{})

	require.Equal(t, []money.Minor{1250}, l.totals(), "a quarter of the first period, and the next one")
	l.pay()
	l.result(payment.AnswerSucceeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}
