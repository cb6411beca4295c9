package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// Every kind and state of a payment in review with every decision. "-" ends the review and changes nothing else; "no"
// is a refusal.
func TestTransaction_Decide(t *testing.T) {
	t.Parallel()
	const charge, refund = payment.Charge, payment.Refund
	for _, c := range []struct {
		typ                         payment.Type
		status                      payment.Status
		reason                      string
		succeeded, failed, returned string
	}{
		{charge, payment.Pending, payment.ReviewAmountMismatch, "succeeded", "failed", "failed"},
		{charge, payment.Success, payment.ReviewAmountMismatch, "-", "no", "-"},
		{charge, payment.Success, payment.ReviewSecondCapture, "no", "no", "-"},
		{charge, payment.Success, payment.ReviewDisputeCurrency, "-", "no", "-"},
		{charge, payment.Failed, payment.ReviewAmountMismatch, "succeeded", "-", "-"},
		{charge, payment.Declined, payment.ReviewAmountMismatch, "succeeded", "-", "-"},
		{charge, payment.Canceled, payment.ReviewAmountMismatch, "succeeded", "-", "-"},
		{charge, payment.Canceled, payment.ReviewSecondCapture, "no", "no", "-"},
		{refund, payment.Pending, "provider_key_reused", "succeeded", "failed", "no"},
		{refund, payment.Refunded, payment.ReviewRefundedTwice, "-", "no", "-"},
		{refund, payment.Failed, payment.ReviewAmountMismatch, "succeeded", "-", "no"},
		{refund, payment.Canceled, payment.ReviewAmountMismatch, "no", "-", "no"},
	} {
		txn := payment.Transaction{ID: "txn_1", Type: c.typ, Status: c.status}
		_, _, err := txn.Decide(payment.DecideSucceeded, t0)
		require.ErrorIs(t, err, payment.ErrNotInReview)
		txn, news := txn.NeedsReview(c.reason, "pi_2", t0)
		require.True(t, news)
		for i, decision := range payment.Decisions() {
			name := string(c.typ) + " " + string(c.status) + " " + c.reason + " as " + string(decision)
			want := []string{c.succeeded, c.failed, c.returned}[i]
			after, outcome, err := txn.Decide(decision, t0.Add(time.Hour))
			if want == "no" {
				require.Equal(t, "decision_impossible", fault.From(err).Code, name)
				require.Equal(t, txn, after, name)
				continue
			}
			require.NoError(t, err, name)
			if want == "-" {
				want = ""
			}
			require.Equal(t, answer.Outcome(want), outcome, name)
			require.True(t, after.ParkedAt.IsZero(), name)
			require.Equal(t, c.status, after.Status, name)
			_, again := after.NeedsReview(c.reason, "pi_2", t0)
			require.False(t, again, "%s: decided once", name)
			_, other := after.NeedsReview(c.reason, "pi_3", t0)
			require.True(t, other, "%s: of another operation", name)
		}
	}
}
