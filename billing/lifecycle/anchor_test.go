package lifecycle_test

import (
	"testing"
	"time"

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

// Without proration what was billed of the period before stays its price: no refund of the new one counts it.
func TestMoveAnchor_WithoutProrationClosesThePeriod(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	l.account.how = subscription.NoProration
	l.must(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	l.result(payment.AnswerSucceeded)

	require.Equal(t, l.store.invoices[1:], l.store.load(false).Paid)

	// All that was paid for the new period went back elsewhere: its unused time takes nothing off the one before.
	l.pass(week)
	state := l.store.load(true)
	charge := state.Captures[l.store.invoices[1].ID]
	charge.AmountRefunded = charge.Amount
	state.Captures[l.store.invoices[1].ID] = charge
	_, changes, err := lifecycle.Apply(state, lifecycle.Cancel{Immediate: true, RefundUnused: true}, l.moment())
	require.NoError(t, err)
	require.Empty(t, changes.NewTransactions)
	require.Empty(t, changes.Credit)
}

// The second in which a period began has nothing to end, and who leaves with the period is billed for no other.
func TestMoveAnchor_Refusals(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded)
	_, err := l.apply(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	require.Equal(t, subscription.ErrSameInstant, err)

	l.pass(week)
	l.schedule(lifecycle.Cancel{})
	_, err = l.apply(lifecycle.MoveAnchor{})
	require.Equal(t, subscription.ErrEnding, err)
}

// What is unpaid of the period that ends is taken in, which a payment in progress refuses.
func TestMoveAnchor_UnpaidPeriod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.moveTo(l.now.Add(time.Second))
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
