package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
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
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed, "and owed")
	require.Zero(t, l.charges()[0].Refundable(), "what is owed is no other refund's")

	l.answer(refund.ID, payment.AnswerSucceeded) // the provider changes its mind

	require.Equal(t, payment.Refunded, l.refunds()[0].Status)
	require.Equal(t, refund.Amount, l.charges()[0].AmountRefunded)
	require.Equal(t, event.TypePaymentRefunded, l.store.events[len(l.store.events)-1].Type())
}

// The bank returns a refund that had gone through, and the provider says so more than once.
func TestRecord_RefundThatTheBankReturns(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded)
	l.cancelNow(true)
	refund := l.refunds()[0]
	l.answer(refund.ID, payment.AnswerSucceeded)
	require.Zero(t, l.charges()[0].RefundOwed)
	before := len(l.store.events)

	for range 2 {
		l.answer(refund.ID, payment.AnswerFailed)
	}

	require.Equal(t, payment.Refunded, l.refunds()[0].Status, "final")
	require.NotEmpty(t, l.refunds()[0].FailureReason, "which shows it")
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed)
	require.Zero(t, l.charges()[0].AmountRefunded)
	require.Len(t, l.store.events, before+1, "once")
	require.Equal(t, event.TypePaymentRefundFailed, l.lastEvent().Type())

	l.answer(refund.ID, payment.AnswerSucceeded) // a callback that was overtaken
	require.Equal(t, refund.Amount, l.charges()[0].RefundOwed)
}

// owed is a life whose only charge owes a refund that failed.
func owed(t *testing.T) *life {
	l := begun(t, settings)
	l.result(payment.AnswerSucceeded)
	l.cancelNow(true)
	l.answer(l.refunds()[0].ID, payment.AnswerDeclined)
	return l
}

func TestRetryRefund_FailedRefund(t *testing.T) {
	t.Parallel()
	l := owed(t)

	l.payOwed(l.charges()[0].ID, false)

	require.Zero(t, l.charges()[0].RefundOwed)
	require.Equal(t, money.Minor(1000), l.charges()[0].AmountRefunded)
	require.Equal(t, money.Minor(1000), l.refunds()[1].Amount)
	_, err := lifecycle.RetryRefund(lifecycle.State{}, l.charges()[0], l.moment())
	require.Equal(t, "refund_not_owed", fault.From(err).Code)
	l.answer(l.refunds()[1].ID, payment.AnswerSucceeded)
	require.Equal(t, payment.Refunded, l.refunds()[1].Status)

	l.answer(l.refunds()[0].ID, payment.AnswerSucceeded) // the first one went through after all

	require.Equal(t, event.PaymentNeedsReview{
		Payment: l.refunds()[0].Announced(), Reason: "refunded_twice", ProviderRef: l.refunds()[0].ProviderRef,
	}, l.lastEvent())
	require.Equal(t, money.Minor(1000), l.charges()[0].AmountRefunded, "never more than was captured")
}

func TestCreditRefund_FailedRefund(t *testing.T) {
	t.Parallel()
	l := owed(t)

	l.payOwed(l.charges()[0].ID, true)

	require.Equal(t, money.Minor(1000), l.store.balance)
	require.Zero(t, l.charges()[0].RefundOwed)
	require.Zero(t, l.charges()[0].Refundable())
	_, _, err := lifecycle.CreditRefund(l.store.load(false), l.charges()[0], l.moment())
	require.Equal(t, "refund_not_owed", fault.From(err).Code)
	own := l.charges()[0]
	own.InvoiceID = ""
	_, _, err = lifecycle.CreditRefund(lifecycle.State{}, own, l.moment())
	require.Equal(t, "refund_needs_subscription", fault.From(err).Code)
}
