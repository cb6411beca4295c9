package charging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/service"
	"perennial/test/life"
	"perennial/test/scene"
)

// capturedTwice is a subscription whose renewal was captured by two sends. The later capture was booked as a success of
// its own, and given back.
func capturedTwice(t *testing.T) (l *life.Life, txn, second payment.Transaction) {
	t.Helper()
	l, txn = lostOnce(t)
	l.Until(l.Clock.Now().Add(proofTime))
	late := l.Provider.CaptureAgain(txn.ID)
	l.Notify(txn, "late", late)
	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	second = l.Transaction(refunds[0].ChargeID)
	require.Equal(t, late, second.ProviderRef)
	return l, l.Transaction(txn.ID), second
}

// A dispute of a superseded capture is booked on it as on any charge, also where the message names only the provider's
// reference.
func TestSuperseded_DisputeIsBooked(t *testing.T) {
	t.Parallel()
	l, txn, second := capturedTwice(t)
	dispute := providers.Dispute{
		Ref: "du_1", State: providers.DisputeOpen, Amount: 1000, Currency: txn.Currency, Withdrawn: 1000,
	}
	l.Provider.Dispute(second.ProviderRef, dispute)
	message := providers.Callback{
		EventID: "evt_dispute", Type: "charge.dispute.created", Kind: providers.KindDisputed, Ref: second.ProviderRef,
	}
	for range 2 {
		require.NoError(t, service.New(l.Store, l.Clock.Now).Payments.ReceiveCallback(t.Context(), l.Config, message))
		l.CheckAsked(txn.ID)
	}
	require.Equal(t, money.Minor(1000), l.Transaction(second.ID).Captured().Withdrawn())
	require.Equal(t, -money.Minor(1000), net(l, second), "given back, and withdrawn")
	require.Empty(t, l.Transaction(txn.ID).Disputes)
	require.Equal(t, []string{"created open"}, l.Disputes())
	require.Zero(t, l.OpenCallbacks())

	dispute.State, dispute.Withdrawn = providers.DisputeWon, 0
	l.Provider.Dispute(second.ProviderRef, dispute)
	l.Notify(txn, "charge.dispute.closed", second.ProviderRef)
	require.Zero(t, l.Transaction(second.ID).Captured().Withdrawn())
	require.Equal(t, []string{"created open", "closed won"}, l.Disputes())
	require.Equal(t, txn, l.Transaction(txn.ID), "the one that counts stays as it is")
}

// net returns the money that one charge brought in, less its own refunds.
func net(l *life.Life, charge payment.Transaction) money.Minor {
	sum := charge.Amount
	for _, r := range l.RefundRows(l.T) {
		if r.ChargeID == charge.ID && r.Status == payment.Refunded && r.ReturnedAt.IsZero() {
			sum -= r.Amount
		}
	}
	return sum
}

// A person also refunded the superseded capture at the dashboard: the refund is booked, and the payment needs review.
func TestSuperseded_RefundElsewhereIsBooked(t *testing.T) {
	t.Parallel()
	l, txn, second := capturedTwice(t)
	before := len(l.RefundRows(t))
	l.Provider.RefundElsewhere(second.ProviderRef, 300)
	l.Notify(txn, "charge.refunded", second.ProviderRef)
	l.Notify(txn, "charge.refunded, again", second.ProviderRef)
	given := l.RefundRows(t)
	require.Len(t, given, before+1)
	require.Equal(t, second.ID, given[len(given)-1].ChargeID)
	require.Equal(t, money.Minor(300), given[len(given)-1].Amount)
	require.Equal(t, payment.ReviewRefundedTwice, l.Transaction(second.ID).Review.Reason)
	require.True(t, l.Transaction(txn.ID).ParkedAt.IsZero())
}

// The same holds at another account.
func TestSuperseded_AtAnotherAccount(t *testing.T) {
	t.Parallel()
	l := life.Answering(t)
	_, backup := withBackup(t, l.Scene)
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Refuse }
	l.Until(scene.Start.AddDate(0, 2, 0))
	txn := l.Last()
	require.Equal(t, 1, backup.Captures()[txn.ID])
	l.Provider.Settle(txn.ID, providers.Succeeded)
	said := providers.Callback{
		EventID: "late", Type: "succeeded", Kind: providers.KindSucceeded, TransactionID: txn.ID,
		Ref: l.Provider.Reference(txn.ID),
	}
	l.Receive(said)
	second := l.Transaction(l.Refunds()[0].ChargeID)
	l.Provider.Dispute(txn.ID, providers.Dispute{
		Ref: "du_1", State: providers.DisputeLost, Amount: 1000, Currency: txn.Currency, Withdrawn: 1000,
	})
	said.EventID, said.Type, said.Kind = "dispute", "charge.dispute.closed", providers.KindDisputed
	l.Receive(said)
	require.Equal(t, money.Minor(1000), l.Transaction(second.ID).Captured().Withdrawn())
	require.Empty(t, l.Transaction(txn.ID).Disputes)
	require.Zero(t, l.OpenCallbacks())
}
