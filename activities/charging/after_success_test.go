package charging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestCallback_RefundThatTheBankReturns(t *testing.T) {
	t.Parallel()
	l := life.Upgraded(t, scene.Capture)
	l.Clock.Set(scene.Start.Add(15 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	refund := l.Refunds()[0]
	require.Equal(t, payment.Refunded, refund.Status)
	l.Provider.Settle(refund.ID, providers.Failed)

	for _, event := range []string{"refund.failed", "refund.failed, again"} {
		l.Notify(refund, event, refund.ProviderRef)
	}

	charge, err := l.Store.Payments.Transaction(t.Context(), l.Env, refund.ChargeID)
	require.NoError(t, err)
	require.Equal(t, [2]money.Minor{0, refund.Amount}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed},
		"owed again, once")
	after, err := l.Store.Payments.Transaction(t.Context(), l.Env, refund.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Refunded, after.Status, "final")
	require.Equal(t, "Your card has insufficient funds.", after.FailureReason)
	failed := 0
	for _, event := range l.Events() {
		if event == "payment.refund_failed" {
			failed++
		}
	}
	require.Equal(t, 1, failed)
	l.Sound()
}

// The provider names another operation of a charge that has succeeded: it took the money twice.
func TestCallback_SecondCaptureNeedsReview(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	require.Equal(t, payment.Success, txn.Status)
	l.Notify(txn, "of the operation that counted", txn.ProviderRef)
	require.True(t, l.Last().ParkedAt.IsZero())

	l.Notify(txn, "of another", l.Provider.CaptureAgain(txn.ID))

	after := l.Last()
	require.Equal(t, payment.Success, after.Status)
	require.False(t, after.ParkedAt.IsZero(), "a person must give one back")
	require.Equal(t, txn.ProviderRef, after.ProviderRef, "the one that counted")
	require.Equal(t, "payment.needs_review", l.Events()[len(l.Events())-1])
	l.Sound()
}

// A person refunds at the provider's dashboard while one of our refunds exists, and the provider repeats its message.
func TestCallback_RefundMadeElsewhere(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.Add(15 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	l.Refunds()
	ours := l.RefundRows(t)
	require.Len(t, ours, 1)
	txn := l.Transactions()[0]
	l.Notify(txn, "charge.refunded, by us", txn.ProviderRef)
	require.Len(t, l.RefundRows(t), 1)
	l.Provider.RefundElsewhere(txn.ID, 100)

	l.Notify(txn, "charge.refunded", txn.ProviderRef)
	l.Notify(txn, "charge.refunded, again", txn.ProviderRef)

	refunds := l.RefundRows(t)
	require.Len(t, refunds, 2, "booked once")
	elsewhere := refunds[1]
	require.Equal(t, payment.Refunded, elsewhere.Status)
	require.Equal(t, money.Minor(100), elsewhere.Amount)
	require.Equal(t, txn.ID, elsewhere.ChargeID)
	charge, err := l.Store.Payments.Transaction(t.Context(), l.Env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, ours[0].Amount+100, charge.AmountRefunded)
	require.Equal(t, "payment.refunded", l.Events()[len(l.Events())-1])
	l.Sound()

	l.Provider.RefundElsewhere(txn.ID, 50)
	l.Notify(txn, "charge.refunded, more", txn.ProviderRef)
	require.Equal(t, money.Minor(50), l.RefundRows(t)[2].Amount)
	l.Sound()
}

// A refund made through the provider's API may copy the metadata of the charge, or write a value into it that is no id.
func TestCallback_RefundMadeElsewhereWithMetadataOfAnother(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	txn := l.Last()
	for i, as := range []string{txn.ID, "order 4711"} {
		l.Provider.RefundElsewhere(txn.ID, 100, as)

		l.Notify(txn, "charge.refunded "+as, txn.ProviderRef)

		refunds := l.RefundRows(t)
		require.Len(t, refunds, i+1)
		require.NotEqual(t, as, refunds[i].ID)
		require.True(t, id.Is(id.Transaction, refunds[i].ID))
		l.Sound()
	}
}

// A charge was canceled, captured after all, and is refunded in part and disputed at the provider, which knows it by
// the canceled charge only.
func TestCallback_MoneyOfARecoveredCaptureMoves(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Pend)
	txn := l.Last()
	l.Perform(life.CancelNow(""))
	l.Provider.Settle(txn.ID, providers.Succeeded)
	l.Notify(txn, "succeeded", txn.ProviderRef)
	recovered := l.Last()
	require.Equal(t, txn.ID, recovered.RecoveredFrom)

	l.Provider.RefundElsewhere(txn.ID, 100)
	l.Notify(txn, "charge.refunded", txn.ProviderRef)
	l.Notify(txn, "charge.refunded, again", txn.ProviderRef)
	refunds := l.RefundRows(t)
	require.Len(t, refunds, 1)
	require.Equal(t, recovered.ID, refunds[0].ChargeID)
	require.Equal(t, money.Minor(100), l.Transaction(recovered.ID).AmountRefunded)

	left := recovered.Amount - 100
	l.Provider.Dispute(txn.ID, providers.Dispute{
		Ref: "du_1", State: providers.DisputeOpen, Amount: left, Currency: txn.Currency, Withdrawn: left,
	})
	l.Notify(txn, "charge.dispute.created", txn.ProviderRef)
	require.Zero(t, l.Net(recovered.ID))
	require.Equal(t, []string{"created open"}, l.Disputes())
	require.Equal(t, payment.Canceled, l.Transaction(txn.ID).Status)
	l.Sound()
}
