package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// received stores a callback about a transaction, as ReceiveCallback does; its signal is lost.
func (l *life) received(txn payment.Transaction, event string, kind payment.MessageKind, ref string) {
	l.t.Helper()
	l.InTx(l.t, func(tx *db.Tx) error {
		_, err := tx.InsertCallback(l.t.Context(), l.Env, db.Callback{
			ID: id.New(id.Callback, l.Clock.Now()), ProviderConfigID: l.Config.ID, ProviderEventID: event, Type: event,
			Kind: kind, TransactionID: txn.ID, ProviderRef: ref, ReceivedAt: l.Clock.Now(),
		})
		return err
	})
	l.Clock.Add(time.Second)
}

// A timer of a workflow, or a repeat of an activity, has not looked at the provider because of the callback.
func TestCallback_StaysOpenUntilALookUpThatItAskedFor(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	require.Equal(t, payment.Success, txn.Status)
	l.received(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)
	l.received(txn, "payment_intent.succeeded", payment.MessageSucceeded, txn.ProviderRef)
	require.Equal(t, 1, l.open())

	l.check(txn.ID)
	require.Equal(t, 1, l.open(), "the refund has not been looked at")

	l.asked(txn.ID)
	require.Zero(t, l.open())
}

// The look-up that finds the capture also has to find what became of its money meanwhile.
func TestCallback_RefundBeforeTheCaptureIsKnown(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Silent }
	l := begin(t, s, scene.Monthly(1000))
	txn := l.last()
	require.Equal(t, payment.Pending, txn.Status)
	l.Provider.RefundElsewhere(txn.ID, 100)
	ref := l.Provider.Reference(txn.ID)
	l.received(txn, "charge.refunded", payment.MessageRefunded, ref)

	for l.open() > 0 { // as the reconciler does
		l.asked(txn.ID)
	}

	require.Len(t, l.given(t), 1, "booked")
	l.sound()
}

// A look-up of a second operation says nothing about the first.
func TestCallback_AboutTheFirstOperationStaysOpenBesideASecond(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.last()
	l.Provider.RefundElsewhere(txn.ID, 100)
	l.received(txn, "charge.refunded", payment.MessageRefunded, txn.ProviderRef)
	l.received(txn, "second", payment.MessageSucceeded, l.Provider.CaptureAgain(txn.ID))

	l.asked(txn.ID)
	require.Equal(t, 1, l.open(), "of the two")

	l.asked(txn.ID)
	require.Zero(t, l.open())
	require.Len(t, l.given(t), 1)
}
