package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// A message reports that the refund re_1 of 400, of a charge of 1000, did not reach the payer: the charge owes it.
func TestRecord_RefundThatDidNotArrive(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is     payment.Status // of the refund
		owed   money.Minor    // before
		ref    string         // in the message
		status payment.Status // after it
		back   bool           // the money came back after a success
		owes   money.Minor
		news   bool
	}{
		"it is under way":       {payment.Pending, 0, "re_1", payment.Failed, false, 400, true},
		"it had gone through":   {payment.Refunded, 0, "re_1", payment.Refunded, true, 400, true},
		"it had failed":         {payment.Failed, 400, "re_1", payment.Failed, false, 400, false},
		"another one was meant": {payment.Refunded, 0, "re_2", payment.Refunded, false, 0, false},
	} {
		l, txn := known(t, payment.Success, "pi_1")
		charge, refund, err := txn.Captured().Refund("txn_r", 400, l.now, l.real)
		require.NoError(t, err)
		refund.Status, refund.ProviderRef = c.is, "re_1"
		if c.owed > 0 {
			charge = charge.Captured().FailRefund(c.owed)
		}
		l.store.transactions[0] = charge
		_, recorded, changes := l.recorded(recording.Result{
			Transaction: charge, Refunds: []payment.Transaction{refund}, Move: payment.MoveBelieve, Asked: true,
			Answer: answer.Answer{
				Outcome: answer.Succeeded, Ref: "pi_1", FailureCode: "DECLINED", FailureReason: "The account is closed.",
				Refunds: []answer.Refund{{Ref: c.ref, Amount: 400, Failed: true}},
			},
		})
		require.Equal(t, c.owes, recorded.Transaction.RefundOwed, name)
		if !c.news {
			require.Empty(t, changes.Transactions, name)
			require.Empty(t, changes.Events, name)
			continue
		}
		require.Zero(t, recorded.Transaction.AmountRefunded, name)
		require.Len(t, changes.Transactions, 2, name)
		after := changes.Transactions[0]
		require.Equal(t, [4]any{"txn_r", c.status, "DECLINED", "The account is closed."},
			[4]any{after.ID, after.Status, after.FailureCode, after.FailureReason}, name)
		require.Equal(t, c.back, !after.ReturnedAt.IsZero(), name)
		require.Equal(t, []event.Type{event.TypePaymentRefundFailed}, typesOf(changes.Events), name)
	}
}

// A charge of 1000 has a successful refund txn_r of 400, re_1. The provider lists another one from its dashboard.
func TestRecord_RefundMadeElsewhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seen     answer.Refund
		id       string // the transaction that books it
		refunded money.Minor
		started  bool // its own workflow polls it
		review   string
	}{
		"beside it":    {answer.Refund{Ref: "re_2", Amount: 600}, "", 1000, false, ""},
		"not done yet": {answer.Refund{Ref: "re_2", Amount: 600, Pending: true}, "", 1000, true, ""},
		"one that the database has lost": {
			answer.Refund{Ref: "re_2", TransactionID: "txn_q", Amount: 600}, "txn_q", 1000, false, "",
		},
		"more than was captured": {
			answer.Refund{Ref: "re_2", Amount: 601}, "", 1000, false, payment.ReviewRefundedTwice,
		},
		"ours again": {
			answer.Refund{Ref: "re_2", TransactionID: "txn_r", Amount: 400}, "", 800, false, payment.ReviewRefundedTwice,
		},
	} {
		l, txn := known(t, payment.Success, "pi_1")
		charge, refund, err := txn.Captured().Refund("txn_r", 400, l.now, l.real)
		require.NoError(t, err)
		refund.Status, refund.ProviderRef = payment.Refunded, "re_1"
		l.store.transactions[0] = charge
		_, recorded, changes := l.recorded(recording.Result{
			Transaction: charge, Refunds: []payment.Transaction{refund}, Move: payment.MoveLookup, Asked: true,
			Answer: answer.Answer{
				Outcome: answer.Succeeded, Ref: "pi_1",
				Refunds: []answer.Refund{{Ref: "re_1", TransactionID: "txn_r", Amount: 400}, c.seen},
			},
		})
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.refunded, recorded.Transaction.AmountRefunded, name)
		require.Len(t, changes.NewTransactions, 1, name)
		booked := changes.NewTransactions[0]
		if c.id == "" {
			c.id = "txn_1769853600000/" + charge.ID + "/refunded elsewhere/re_2"
		}
		require.Equal(t, [3]any{c.id, "re_2", c.seen.Amount}, [3]any{booked.ID, booked.ProviderRef, booked.Amount}, name)
		require.Equal(t, c.started, len(changes.Starts) == 1, name)
	}
}

// A bank withdraws the money of a dispute, returns it, and withdraws it again: each withdrawal is a transaction with an
// id from its number.
func TestRecord_DisputeWithdrawnTwice(t *testing.T) {
	t.Parallel()
	l, txn := known(t, payment.Success, "pi_1")
	var made []string
	for _, withdrawn := range []money.Minor{1000, 0, 1000} {
		_, recorded, changes := l.recorded(recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Asked: true,
			Answer: answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", Disputes: []answer.Dispute{{
				Ref: "dp_1", State: answer.DisputeOpen, Amount: 1000, Currency: "EUR", Withdrawn: withdrawn,
			}}},
		})
		for _, refund := range changes.NewTransactions {
			require.Equal(t, money.Minor(1000), refund.Amount)
			made = append(made, refund.ID)
		}
		require.Equal(t, 1000-withdrawn, recorded.Transaction.Captured().Refundable())
		txn = recorded.Transaction
	}
	id := "txn_1769853600000/" + txn.ID + "/dispute/dp_1/"
	require.Equal(t, []string{id + "1", id + "2"}, made)
}
