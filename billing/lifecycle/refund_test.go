package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// Money goes back to the latest payment first, and to an earlier one only what the later did not bring.
func TestCancel_RefundsTheLatestPaymentFirst(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded) // 1000 for four weeks of team
	l.pass(2 * week)
	l.paysFor(pro) // 1000 more for two weeks of pro
	l.cancelNow(true)

	require.Len(t, l.refunds(), 2)
	require.Equal(t, l.charges()[1].ID, l.refunds()[0].ChargeID)
	require.Equal(t, money.Minor(1000), l.refunds()[0].Amount)
	require.Equal(t, l.charges()[0].ID, l.refunds()[1].ChargeID)
	require.Equal(t, money.Minor(500), l.refunds()[1].Amount)
	for i, want := range []money.Minor{500, 1000} {
		require.Equal(t, want, l.charges()[i].AmountRefunded, "reserved at once")
	}
}

// An invoice that credit paid has no charge to give back.
func TestCancel_RefundPassesOverWhatCreditPaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded)
	l.changePlan(free, false)
	l.changePlan(team, false)

	l.cancelNow(true)

	for _, r := range l.refunds() {
		require.Equal(t, l.charges()[0].ID, r.ChargeID)
	}
	require.Equal(t, money.Minor(1000), l.refunded()+l.store.balance)
}

func TestRecord_RefundThatFails(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded)
	l.cancelNow(true)
	refund := l.refunds()[0]
	require.Equal(t, refund.Amount, l.charges()[0].AmountRefunded)

	l.answer(refund.ID, payment.AnswerDeclined)

	require.Equal(t, payment.Failed, l.refunds()[0].Status, "a refund has no other bad end")
	require.Zero(t, l.charges()[0].AmountRefunded, "released")

	l.answer(refund.ID, payment.AnswerSucceeded) // the provider changes its mind

	require.Equal(t, payment.Refunded, l.refunds()[0].Status)
	require.Equal(t, refund.Amount, l.charges()[0].AmountRefunded)
	require.Equal(t, event.TypePaymentRefunded, l.store.events[len(l.store.events)-1].Type)
}
