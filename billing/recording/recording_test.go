package recording_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// The tests of lifecycle cover the effects of answers on subscriptions, since they need lives. A customer's own charge
// affects only itself.
func TestRecord_OfACustomersOwnCharge(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000, 0)
	at := lifecycle.Moment{Now: now, Real: now}
	charge := payment.Protocol{}.Sending(payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Pending, CustomerID: "cust_1", Amount: 400, Currency: "EUR",
		Provider: "stripe", ProviderConfigID: "pp_1", Revision: 1,
	}, now)
	s := lifecycle.State{
		Customer: customer.Customer{ID: "cust_1"}, Currency: "EUR", Pending: []payment.Transaction{charge},
	}
	for name, c := range map[string]struct {
		answer answer.Answer
		status payment.Status
		review string
		event  event.Data
	}{
		"success": {
			answer: answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", Amount: 400, Currency: "EUR"},
			status: payment.Success, event: event.PaymentSuccess{},
		},
		"another amount": {
			answer: answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", Amount: 300, Currency: "EUR"},
			status: payment.Pending, review: payment.ReviewAmountMismatch, event: event.PaymentNeedsReview{},
		},
		"decline": {
			answer: answer.Answer{Outcome: answer.Declined, FailureCode: answer.InsufficientFunds},
			status: payment.Declined, event: event.PaymentFailed{},
		},
	} {
		result := recording.Result{Transaction: charge, Move: payment.MoveSend, Begun: now, Answer: c.answer}
		_, recorded, changes, err := recording.Record(s, result, at)
		require.NoError(t, err, name)
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Len(t, changes.Transactions, 1, name)
		require.Len(t, changes.Events, 1, name)
		require.Equal(t, c.event.Type(), changes.Events[0].Type(), name)
	}
}
