package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

// A past-due subscription whose invoice was paid outside recovers, and nothing is sent.
func TestMarkPaid_RecoversFromPastDue(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	for l.sub().Status != subscription.PastDue {
		if l.live("") == nil {
			l.toNext(0)
			continue
		}
		l.result(answer.Declined)
	}
	inv := l.open()[0]
	_, err := l.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash", PaidAt: l.now.Add(time.Second)})
	require.ErrorContains(t, err, "paid_in_future")
	_, err = l.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash", PaidAt: time.Unix(5, 0)})
	require.ErrorContains(t, err, "paid_before_invoice")
	_, err = l.apply(lifecycle.MarkPaid{
		InvoiceID: inv.ID, Method: "cash", PaidAt: inv.IssuedAt.AddDate(-1, 0, 0).Add(-time.Second),
	})
	require.ErrorContains(t, err, "paid_before_invoice")
	paidAt := inv.IssuedAt.AddDate(-1, 0, 0)
	changes, err := l.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash", Reference: "42", PaidAt: paidAt})
	require.NoError(t, err)
	require.Equal(t, subscription.Active, l.sub().Status)
	txn := changes.Made(changes.Settlements[0].TransactionID)
	require.Equal(t, [5]any{payment.Success, payment.External, "42", inv.AmountDue, paidAt},
		[5]any{txn.Status, txn.Provider, txn.ProviderRef, txn.Amount, txn.CompletedAt})
	require.Empty(t, changes.Starts, "it is never sent")
	require.Equal(t, payment.MoveNone, protocol.Next(*txn, true, l.real))
	_, err = l.apply(lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "cash"})
	require.ErrorIs(t, err, lifecycle.ErrNotOpen)

	_, err = lifecycle.RefundCharge(lifecycle.State{Customer: l.store.customer}, *txn, 0, l.moment())
	require.ErrorContains(t, err, "payment_external")
	require.Zero(t, txn.Captured().Refundable())
}

// An unsent attempt is called off; a sent one must be decided first, or there could be two payments.
func TestMarkPaid_BesideAnAttempt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	live := l.live("")
	l.send(live.ID)
	inv := l.open()[0]
	mark := lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "bank_transfer"}
	_, err := l.apply(mark)
	require.ErrorContains(t, err, "payment_in_progress")

	l = begun(t, settings)
	inv = l.open()[0]
	live = l.live("")
	mark.InvoiceID = inv.ID
	_, err = l.apply(mark)
	require.NoError(t, err)
	require.Equal(t, invoice.Paid, l.store.invoices[0].Status)
	require.Equal(t, payment.MoveAbandon, protocol.Next(*l.store.transaction(live.ID), false, l.real))
	require.Equal(t, subscription.Active, l.sub().Status)

	// A restored database lost the mark of the send: the attempt captures too, and the money is refunded.
	l.answer(live.ID, answer.Succeeded)
	require.Equal(t, l.store.transaction(live.ID).Amount, l.refunded())
}

// Money for an uncollectible invoice pays it, like a late capture. Void and paid ones do not change.
func TestMarkPaid_OfAnUncollectibleInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.writtenOff = true
	inv := l.open()[0]
	_, err := l.apply(lifecycle.MarkUncollectible{InvoiceID: inv.ID})
	require.NoError(t, err)
	mark := lifecycle.MarkPaid{InvoiceID: inv.ID, Method: "bank_transfer"}
	_, err = l.apply(mark)
	require.ErrorIs(t, err, lifecycle.ErrNotOpen, "only one that was loaded")
	mark.Closed = &l.store.invoices[0]
	changes, err := l.apply(mark)
	require.NoError(t, err)
	paid := l.store.invoices[0]
	require.Equal(t, [2]any{invoice.Paid, inv.AmountDue}, [2]any{paid.Status, paid.AmountPaid})
	require.Equal(t, payment.External, changes.Made(changes.Settlements[0].TransactionID).Provider)

	mark.Closed = &paid
	_, err = l.apply(mark)
	require.ErrorIs(t, err, lifecycle.ErrNotOpen)
}
