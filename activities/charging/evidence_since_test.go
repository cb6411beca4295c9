package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// paidOnly is a charge that a provider which can only tell has captured.
func paidOnly(t *testing.T) (*life.Life, payment.Transaction) {
	t.Helper()
	l := onlyTold(t)
	l.Receive(says(l.Last(), "paid", providers.Succeeded))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	return l, txn
}

// since is a signed message about what became of a captured charge.
func since(txn payment.Transaction, event string, proves providers.Result) providers.Callback {
	proves.Ref = txn.ProviderRef
	return providers.Callback{
		EventID: event, Type: event, Kind: providers.KindUnknown, TransactionID: txn.ID, Ref: txn.ProviderRef,
		Evidence: &proves,
	}
}

func TestEvidence_DisputeIsBookedInItsOrder(t *testing.T) {
	t.Parallel()
	l, txn := paidOnly(t)
	due := l.Clock.Now().AddDate(0, 0, 14).UTC().Truncate(time.Second)
	at := func(event string, order int, state providers.DisputeState, withdrawn bool) providers.Callback {
		d := providers.Dispute{
			Ref: "D1", State: state, Amount: txn.Amount, Currency: txn.Currency, Order: order, EvidenceDueAt: due,
		}
		if withdrawn {
			d.Withdrawn = txn.Amount
		}
		return since(txn, event, providers.Result{Outcome: providers.Succeeded, Disputes: []providers.Dispute{d}})
	}
	l.Receive(at("chargeback", 3, providers.DisputeOpen, true), at("notice, late", 2, providers.DisputeOpen, false))
	d := l.Transaction(txn.ID).Disputes[0]
	require.Equal(t, answer.DisputeOpen, d.State)
	require.Equal(t, due, d.EvidenceDueAt)
	require.Zero(t, l.Net(txn.ID), "the bank holds the money, and a late notice gives none back")

	l.Receive(at("reversed", 4, providers.DisputeWon, false))
	require.Equal(t, txn.Amount, l.Net(txn.ID))
	l.Receive(at("second", 6, providers.DisputeLost, true), at("reversed, again", 4, providers.DisputeWon, false))
	require.Zero(t, l.Net(txn.ID))
	require.Equal(t, []string{"created open", "closed won", "closed lost"}, l.Disputes())
	require.Zero(t, l.OpenCallbacks())
	l.Sound()
}

func TestEvidence_RefundElsewhereComesBack(t *testing.T) {
	t.Parallel()
	l, txn := paidOnly(t)
	seen := providers.SeenRefund{Ref: "R1", Amount: 300}
	l.Receive(
		since(txn, "refunded", providers.Result{Outcome: providers.Succeeded, Refunds: []providers.SeenRefund{seen}}),
	)
	require.Equal(t, txn.Amount-300, l.Net(txn.ID))

	seen.Failed = true
	back := since(txn, "came back", providers.Result{Outcome: providers.Succeeded, Refunds: []providers.SeenRefund{seen}})
	l.Receive(back, back)
	require.Equal(t, txn.Amount, l.Net(txn.ID))
	require.EqualValues(t, 300, l.Transaction(txn.ID).RefundOwed, "it is owed to the customer")
	require.Zero(t, l.OpenCallbacks())
	l.Sound()
}

// A cancellation that came after the capture is a refund.
func TestEvidence_CanceledAfterCaptureGaveMoneyBack(t *testing.T) {
	t.Parallel()
	l, txn := paidOnly(t)
	seen := providers.SeenRefund{Ref: "R1", Amount: txn.Amount}
	l.Receive(since(txn, "canceled", providers.Result{Outcome: providers.Canceled, Refunds: []providers.SeenRefund{seen}}))
	require.Zero(t, l.Net(txn.ID))
	require.Equal(t, payment.Success, l.Transaction(txn.ID).Status)
	require.Equal(t, txn.Amount, l.Transaction(txn.ID).AmountRefunded)
	require.Zero(t, l.OpenCallbacks())
	l.Sound()
}

// A refund was sent twice, around a restore. Both operations failed, and the provider reports late for each that it had
// gone through before. The stored messages about an operation decide, whichever operation the refund's row names.
func TestEvidence_BothOperationsOfARefundFailed(t *testing.T) {
	t.Parallel()
	l, txn := paidOnly(t)
	l.Provider.RefundScript = func(int, providers.RefundRequest) scene.Answer { return scene.Pend }
	l.Clock.Set(scene.Start.Add(10 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	refund := l.Refunds()[0]
	require.Equal(t, payment.Pending, refund.Status)
	require.NotEmpty(t, refund.ProviderRef)
	other := refund
	other.ProviderRef = "R2"
	for _, message := range []providers.Callback{
		says(other, "R2 failed", providers.Failed), says(other, "R2 went through", providers.Succeeded),
		says(refund, "R1 failed", providers.Failed), says(refund, "R1 went through", providers.Succeeded),
	} {
		l.Receive(message, message)
	}
	require.Equal(t, payment.Failed, l.Transaction(refund.ID).Status)
	charge := l.Transaction(txn.ID)
	require.Equal(t, [2]money.Minor{0, refund.Amount}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed})
	require.Zero(t, l.OpenCallbacks())
	l.Sound()
}
