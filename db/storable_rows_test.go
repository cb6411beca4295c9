package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// A provider's answer is stored whatever its bytes: a write that PostgreSQL refuses would be repeated for ever, and the
// payment would never end.
func TestWrite_TextsThatPostgreSQLCannotStore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.charge("")
	const hostile, stored = "declined\x00 by \xffbank", "declined\uFFFD by \uFFFDbank"
	callback := db.Callback{
		ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: "evt_" + hostile, Type: hostile,
		ProviderRef: "pi_" + hostile, Key: hostile, ReceivedAt: wall, TransactionID: txn.ID,
		Evidence: &answer.Answer{
			Outcome: answer.Failed, Ref: hostile, FailureReason: hostile, Currency: "\x00\x00\x00",
			Refunds: []answer.Refund{{Ref: hostile}}, Disputes: []answer.Dispute{{Ref: hostile, Reason: hostile}},
		},
	}
	call := db.ProviderCall{ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: "charge", StartedAt: wall}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		for _, first := range []bool{true, false} {
			kept, err := tx.Payments.InsertCallback(ctx, b.env, callback)
			require.NoError(t, err)
			require.Equal(t, first, kept, "the same event is kept once")
		}
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, call))
		call.Outcome, call.EndedAt = "failed", wall
		call.Response = []byte(`{"message":"\u0000\ud800","list":["\udc00"]}`)
		require.NoError(t, tx.Payments.FinishProviderCall(ctx, b.env, call))
		txn.Status, txn.ProviderRef, txn.FailureReason, txn.CompletedAt = payment.Failed, hostile, hostile, now
		txn.ProviderResponse = call.Response
		require.NoError(t, tx.Payments.SaveTransaction(ctx, b.env, txn))
		require.NoError(t, tx.Emit(ctx, b.env, event.New(event.PaymentFailed{
			Payment: event.Payment{ID: txn.ID, CustomerID: b.customer.ID}, FailureReason: hostile,
		}, now)))
	})
	got, err := b.store.Payments.Transaction(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, stored, got.FailureReason)
	require.JSONEq(t, `{"message":"\ufffd\ufffd","list":["\ufffd"]}`, string(got.ProviderResponse))

	found, err := b.store.Payments.TransactionByProviderRef(t.Context(), b.env, b.provider, payment.Charge, hostile)
	require.NoError(t, err, "it is found by what the provider says")
	require.Equal(t, txn.ID, found.ID)
	_, err = b.store.Customers.Get(t.Context(), b.env, b.customer.ID+"\x00")
	require.ErrorIs(t, err, db.ErrCustomerNotFound)
}
