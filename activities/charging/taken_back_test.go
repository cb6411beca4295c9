package charging_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

// A capture fails after its success was booked: its money is returned in the books, once, and the next invoice collects
// it.
func TestEvidence_SuccessThatIsTakenBack(t *testing.T) {
	t.Parallel()
	l, txn := paidOnly(t)
	l.Receive(says(txn, "capture failed", providers.Failed), says(txn, "expired", providers.Failed))
	charge := l.Transaction(txn.ID)
	require.Equal(t, payment.Success, charge.Status, "never overwritten")
	require.True(t, charge.ParkedAt.IsZero())
	require.Len(t, l.RefundRows(t), 1)
	require.Zero(t, l.Net(txn.ID))
	require.Zero(t, l.OpenCallbacks())
	l.Sound()

	l.Until(scene.Start.AddDate(0, 1, 0))
	next := l.Invoices()[1]
	require.Equal(t, txn.Amount, next.BroughtForward)
	require.Equal(t, 2*txn.Amount, next.AmountDue)
	l.Sound()
}

// With an amount that cannot be read nothing is booked, and a person is asked.
func TestEvidence_UnreadableAmountNeedsReview(t *testing.T) {
	t.Parallel()
	for _, outcome := range []providers.Outcome{providers.Succeeded, providers.Failed} {
		l := onlyTold(t)
		txn := l.Last()
		message := says(txn, "odd", outcome)
		message.Kind, message.Evidence.Amount = providers.KindUnknown, providers.UnreadableAmount
		l.Receive(message)
		txn = l.Transaction(txn.ID)
		require.Equal(t, payment.Pending, txn.Status, outcome)
		require.Equal(t, payment.ReviewAmountMismatch, txn.Review.Reason, outcome)
		require.False(t, txn.ParkedAt.IsZero(), outcome)
		require.Zero(t, l.OpenCallbacks(), outcome)
	}
}

// A refund was sent again after the provider had forgotten its key, although its first send had arrived.
func TestCallback_RefundMadeTwiceUnderOneID(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.Add(20 * life.Day))
	l.Perform(life.CancelNow("prorated"))
	ours := l.Refunds()[0]
	require.Equal(t, payment.Refunded, ours.Status)
	txn := l.Transactions()[0]
	l.Provider.RefundElsewhere(txn.ID, ours.Amount, ours.ID)

	l.Notify(txn, "charge.refunded", txn.ProviderRef)
	l.Notify(txn, "charge.refunded, again", txn.ProviderRef)

	require.Len(t, l.RefundRows(t), 2, "both are booked")
	charge := l.Transaction(txn.ID)
	require.Equal(t, 2*ours.Amount, charge.AmountRefunded)
	require.Equal(t, payment.ReviewRefundedTwice, charge.Review.Reason)
	require.False(t, charge.ParkedAt.IsZero())
}

// A repeat says so, since an adapter may have to doubt its refusal.
func TestCharge_RepeatsSayThatTheyAre(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	var repeats []bool
	s.Provider.Script = func(_ int, in providers.ChargeRequest) scene.Answer {
		repeats = append(repeats, in.Repeat)
		return scene.Lose
	}
	l := life.Begin(t, s, scene.Monthly(1000))
	l.Until(l.Clock.Now().Add(scene.Window / 2))
	require.Greater(t, len(repeats), 1)
	require.False(t, repeats[0])
	require.NotContains(t, repeats[1:], false)
}
