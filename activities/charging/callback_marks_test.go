package charging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// A timer of a workflow, or a repeat of an activity, has not looked at the provider because of the callback.
func TestCallback_StaysOpenUntilALookUpThatItAskedFor(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	l.StoreCallback(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)
	l.StoreCallback(txn, "payment_intent.succeeded", payment.MessageSucceeded, txn.ProviderRef)
	require.Equal(t, 1, l.OpenCallbacks())

	l.Check(txn.ID)
	require.Equal(t, 1, l.OpenCallbacks(), "the refund has not been looked at")

	l.CheckAsked(txn.ID)
	require.Zero(t, l.OpenCallbacks())
}

// The look-up that finds the capture also has to find what became of its money meanwhile.
func TestCallback_RefundBeforeTheCaptureIsKnown(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Silent }
	l := life.Begin(t, s, scene.Monthly(1000))
	txn := l.Last()
	require.Equal(t, payment.Pending, txn.Status)
	l.Provider.RefundElsewhere(txn.ID, 100)
	ref := l.Provider.Reference(txn.ID)
	l.StoreCallback(txn, "charge.refunded", payment.MessageRefunded, ref)

	for l.OpenCallbacks() > 0 { // as the reconciler does
		l.CheckAsked(txn.ID)
	}

	require.Len(t, l.RefundRows(t), 1, "booked")
	l.Sound()
}

// A look-up of a second operation says nothing about the first.
func TestCallback_AboutTheFirstOperationStaysOpenBesideASecond(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	l.Provider.RefundElsewhere(txn.ID, 100)
	l.StoreCallback(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)
	l.StoreCallback(txn, "second", payment.MessageSucceeded, l.Provider.CaptureAgain(txn.ID))

	l.CheckAsked(txn.ID)
	require.Equal(t, 1, l.OpenCallbacks(), "of the two")

	l.CheckAsked(txn.ID)
	require.Zero(t, l.OpenCallbacks())
	require.Len(t, l.RefundRows(t), 1)
}
