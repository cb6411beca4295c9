package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

// A message with evidence may be stored after the evidence was read: where the provider was not asked it stays open,
// for it was not believed.
func TestMarkCallbacks_LeaveEvidenceThatNobodyRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.charge("")
	callback := func(event string, evidence *answer.Answer) db.Callback {
		return db.Callback{
			ID: id.New(id.Callback, wall), ProviderConfigID: b.provider, ProviderEventID: event, TransactionID: txn.ID,
			Kind: payment.MessageProcessing, ReceivedAt: wall, Evidence: evidence,
		}
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
		for _, c := range []db.Callback{
			callback("hint", nil), callback("evidence", &answer.Answer{Outcome: answer.Succeeded}),
		} {
			_, err := tx.Payments.InsertCallback(ctx, b.env, c)
			require.NoError(t, err)
		}
	})
	open := func() int {
		return b.count(t, "select count(*) from provider_callbacks where processed_at is null")
	}
	looked := db.LookedAt{Refs: []string{""}, At: wall.Add(time.Minute)}
	for _, mark := range []func(ctx context.Context, tx *db.Tx) error{
		func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.MarkCallbacksProcessed(ctx, b.env, txn.ID, looked, payment.MessageProcessing)
		},
		func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.MarkCallbacksElsewhere(ctx, b.env, txn.ID, b.provider, looked)
		},
	} {
		require.NoError(t, b.try(t, mark))
		require.Equal(t, 1, open(), "the evidence")
	}
	looked.Asked = true
	require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Payments.MarkCallbacksProcessed(ctx, b.env, txn.ID, looked)
	}))
	require.Zero(t, open())
}
