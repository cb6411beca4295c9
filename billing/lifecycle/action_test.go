package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

func TestRecord_PayerIsAskedOnce(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	for range 3 {
		l.asksPayer(id)
	}
	require.Equal(t, 1, l.account.events[event.TypePaymentActionRequired])
	require.Equal(t, 1, l.account.events[event.TypePaymentPending])
	require.NotEqual(t, subscription.ActionPaymentRetry, l.sub().NextAction, "the schedule waits")

	l.pass(time.Hour)
	l.answer(id, answer.Canceled) // at the provider's dashboard
	require.Equal(t, payment.Canceled, l.charges()[0].Status, "the payer still had time")
}

func TestRecord_UnconfirmedChargeFails(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.asksPayer(id)
	l.pass(24 * time.Hour)
	l.answer(id, answer.Canceled)
	failed := l.charges()[0]
	require.Equal(t, payment.Failed, failed.Status)
	require.Equal(t, payment.Unconfirmed, failed.FailureReason)
	require.Equal(t, payment.CodeDeclined, failed.FailureCode)
	require.Equal(t, subscription.ActionPaymentRetry, l.sub().NextAction)

	l.answer(id, answer.Succeeded) // a provider's mistake, or its cancel was too late
	require.Equal(t, payment.Success, l.charges()[0].Status)
}

// A charge that a command canceled ends as canceled, also after the payer's time.
func TestRecord_UnwantedActionIsCanceled(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.asksPayer(id)
	l.cancelNow(false)
	l.pass(48 * time.Hour)
	l.answer(id, answer.Canceled)
	require.Equal(t, payment.Canceled, l.charges()[0].Status)
}

func TestAdvance_NewMethodEndsTheAction(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.asksPayer(id)
	l.pass(time.Hour)
	l.newMethod(true)
	require.Equal(t, l.real, l.charges()[0].Action.ExpiresAt)
	require.Equal(t, l.real, l.charges()[0].NextCheckAt)
	l.answer(id, answer.Canceled)
	require.Len(t, l.charges(), 2, "the new method is tried at once")
	require.Equal(t, payment.Pending, l.charges()[1].Status)
}

// The new method came during the charge: the payer must not get a link that is already closed.
func TestRecord_PayerIsNotAskedBesideANewMethod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.newMethod(true)
	l.asksPayer(id)
	require.Zero(t, l.account.events[event.TypePaymentActionRequired])
	require.Equal(t, l.real, l.charges()[0].Action.ExpiresAt)
	l.answer(id, answer.Canceled)
	require.Len(t, l.charges(), 2, "the new method is tried at once")
}

// A command while the payer is asked is refused with advice: waiting some seconds would not help.
func TestApply_BesideAnAction(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.asksPayer(id)
	for _, cmd := range []lifecycle.Command{lifecycle.Pay{}, lifecycle.MarkPaid{InvoiceID: l.charges()[0].InvoiceID}} {
		_, err := l.apply(cmd)
		require.ErrorIs(t, err, collection.ErrInProgress)
		f := fault.From(err)
		require.Contains(t, f.Detail, id)
		require.Contains(t, f.Detail, "cancel it")
		require.Equal(t, 24*time.Hour, f.RetryAfter)
	}
	l.pass(24 * time.Hour)
	_, err := l.apply(lifecycle.Pay{})
	require.Equal(t, collection.PaymentTakes, fault.From(err).RetryAfter, "it is about to end")
}
