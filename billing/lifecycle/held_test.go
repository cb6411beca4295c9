package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// A payment that is sent late is looked up first. The provider's answer may be personal, and does not replace the
// reason for holding the payment, which workflows show.
func TestRecord_HeldPaymentKeepsOurReason(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	txn := payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, Amount: 1000, Currency: "EUR", SendDueAt: now,
		HeldBack: payment.Hold{At: now}, FailureReason: "Charging is paused.",
	}
	said := answer.Answer{Outcome: answer.Unknown, FailureReason: "no answer about casey@example.com"}
	record := func(txn payment.Transaction) payment.Transaction {
		at := lifecycle.Moment{Now: now, Real: now}
		result := recording.Result{Transaction: txn, Move: payment.MoveLookup, Protocol: protocol, Answer: said}
		_, recorded, _, err := recording.Record(lifecycle.State{}, result, at)
		require.NoError(t, err)
		return recorded.Transaction
	}
	require.Equal(t, "Charging is paused.", record(txn).FailureReason)
	txn.HeldBack = payment.Hold{}
	require.Equal(t, said.FailureReason, record(txn).FailureReason, "the row of any other says it")
}
