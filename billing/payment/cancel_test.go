package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
)

func TestRequestCancel_OnlyPendingCharges(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	pending := payment.Transaction{ID: "txn_1", Type: payment.Charge, Status: payment.Pending,
		NextCheckAt: at.Add(time.Hour)}
	got, err := pending.RequestCancel(at)
	require.NoError(t, err)
	require.Equal(t, []time.Time{at, at}, []time.Time{got.CancelRequestedAt, got.NextCheckAt})
	again, err := got.RequestCancel(at.Add(time.Minute))
	require.NoError(t, err)
	require.Equal(t, got, again)

	for code, change := range map[string]func(*payment.Transaction){
		"refund_not_cancelable": func(txn *payment.Transaction) { txn.Type = payment.Refund },
		"payment_final":         func(txn *payment.Transaction) { txn.Status = payment.Success },
		"payment_needs_review":  func(txn *payment.Transaction) { txn.ParkedAt = at },
	} {
		txn := pending
		change(&txn)
		got, err := txn.RequestCancel(at)
		require.Equal(t, code, fault.From(err).Code)
		require.Equal(t, txn, got)
	}
}
