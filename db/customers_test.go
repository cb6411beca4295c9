package db_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

func TestErasureLeavesNothingPersonal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.customer.Metadata = metadata.Pairs{"note": "lives in Mukono"}
	kept := newCustomer("") // another customer, untouched
	txn := b.pendingCharge(t, "")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.UpdateCustomer(ctx, b.env, b.customer))
		require.NoError(t, tx.InsertCustomer(ctx, b.env, kept))
		done := txn
		done.Status, done.CompletedAt, done.FailureReason, done.ProviderResponse = payment.Failed, now, "Ada's card", []byte(`{"name": "Ada"}`)
		require.NoError(t, tx.SaveTransaction(ctx, b.env, done))
		call := db.ProviderCall{ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: db.CallCharge, StartedAt: wall}
		require.NoError(t, tx.InsertProviderCall(ctx, b.env, call))
		call.Outcome, call.EndedAt, call.Response = "declined", wall, []byte(`{"name": "Ada"}`)
		require.NoError(t, tx.FinishProviderCall(ctx, b.env, call))
		for key, owner := range map[string]string{"k1": b.customer.ID, "k2": kept.ID} {
			require.NoError(t, tx.InsertCommandText(ctx, b.env, "cmd_"+key, owner, "Ada moves away"))
			require.NoError(t, tx.InsertCommandText(ctx, b.env, "cmd_"+key, owner, "a repeat changes nothing"))
			require.NoError(t, tx.InsertAnsweredIdempotency(ctx, b.env, db.IdempotencyKey{
				Route: "POST /api/customers", Key: key, Fingerprint: []byte("f"), StatusCode: 201, Response: []byte("Ada"), CustomerID: owner,
			}))
		}
	})
	erase := func(ctx context.Context, tx *db.Tx) error { return tx.EraseCustomer(ctx, b.env, b.customer.ID) }
	require.NoError(t, b.try(t, erase))

	got, err := b.store.Customer(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	require.Equal(t, customer.Customer{
		ID: b.customer.ID, Metadata: metadata.Pairs{}, TestClockID: b.clock.ID, ErasedAt: wall, CreatedAt: now, Revision: 3,
	}, got)
	stored, err := b.store.Transaction(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, payment.Failed, stored.Status)
	require.EqualValues(t, 1500, stored.Amount)
	require.Zero(t, stored.Method)
	require.Nil(t, stored.ProviderResponse)
	require.Empty(t, stored.FailureReason)
	require.Empty(t, stored.Description)
	for command, want := range map[string]string{"cmd_k1": "", "cmd_k2": "Ada moves away"} {
		text, err := b.store.CommandText(t.Context(), b.env, command)
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	calls, err := b.store.ProviderCalls(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Nil(t, calls[0].Response)
	answer, _, err := b.store.IdempotencyKey(t.Context(), b.env, "POST /api/customers", "k1")
	require.NoError(t, err)
	require.Nil(t, answer.Response)
	require.Equal(t, wall, answer.ErasedAt)
	require.Equal(t, 201, answer.StatusCode)

	other, err := b.store.Customer(t.Context(), b.env, kept.ID)
	require.NoError(t, err)
	require.Equal(t, kept, other)
	answer, _, err = b.store.IdempotencyKey(t.Context(), b.env, "POST /api/customers", "k2")
	require.NoError(t, err)
	require.Equal(t, []byte("Ada"), answer.Response)
	list, _, err := b.store.Customers(t.Context(), b.env, db.CustomerFilter{}, db.Page{})
	require.NoError(t, err)
	require.Equal(t, []customer.Customer{kept}, list)

	requireFault(t, b.try(t, erase), fault.NotFound, "customer_not_found")
	got.Email = "back@example.com"
	err = b.try(t, func(ctx context.Context, tx *db.Tx) error { return tx.UpdateCustomer(ctx, b.env, got) })
	requireFault(t, err, fault.Conflict, "customer_changed")
}

func TestMarkMethodChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	finished, stranger := b.subscription, newCustomer("")
	finished.ID, finished.Status, finished.CanceledAt, finished.FinishedAt = id.New(id.Subscription, wall), "canceled", now, now
	theirs := b.subscription
	theirs.ID, theirs.CustomerID = id.New(id.Subscription, wall), stranger.ID
	var marked []string
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.InsertCustomer(ctx, b.env, stranger))
		require.NoError(t, tx.InsertSubscription(ctx, b.env, finished))
		require.NoError(t, tx.InsertSubscription(ctx, b.env, theirs))
		var err error
		marked, err = tx.MarkMethodChanged(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
	})
	require.Equal(t, []string{b.subscription.ID}, marked)
	got, err := b.store.Subscription(t.Context(), b.env, b.subscription.ID)
	require.NoError(t, err)
	require.Equal(t, wall, got.MethodChangedAt)
	require.EqualValues(t, 2, got.Revision, "a workflow that acts on older state must notice")
}
