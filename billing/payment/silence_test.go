package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// A send that gets lost each time, while look-ups find nothing, is a growing silence: the payment rests ever longer,
// and its gaps grow. Once it is accepted, it is looked up as soon as if it had not waited.
func TestExchanged(t *testing.T) {
	t.Parallel()
	txn := payment.Transaction{Type: payment.Charge, Status: payment.Pending, Method: payment.Method{Type: "card"}}
	txn = protocol.Sending(txn, t0)
	at := t0
	for range 6 {
		txn = protocol.Waiting(txn.Exchanged(at, answer.Unknown), 0, at)
		require.Equal(t, payment.Silence{Since: t0, At: at}, txn.Silence)
		at = txn.NextCheckAt
		txn, _ = protocol.Absent(txn.Exchanged(at, answer.NotFound), at)
		require.Equal(t, payment.Silence{Since: t0}, txn.Silence)
		require.Equal(t, at, txn.NextCheckAt, "the repeat follows at once")
	}
	require.Equal(t, 13, txn.Checks, "two each time, and one to make the first even")

	txn.FailureReason = "The provider does not know this payment. It may have forgotten it."
	require.Empty(t, txn.Known().FailureReason, "it does now")
	require.Equal(t, "slow", payment.Transaction{FailureReason: "slow"}.Known().FailureReason)

	accepted := protocol.Waiting(txn.Exchanged(at, answer.Pending), 0, at)
	require.Zero(t, accepted.Silence)
	require.Equal(t, at.Add(10*time.Second), accepted.NextCheckAt)
	txn.ProviderRef = "pi_1"
	known := protocol.Waiting(txn.Exchanged(at, answer.Pending), 0, at)
	require.Zero(t, known.Silence)
	require.Equal(t, at.Add(time.Hour), known.NextCheckAt, "it waits for its payer")
}
