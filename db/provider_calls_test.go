package db_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
)

func TestProviderCallRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, "")
	call := db.ProviderCall{
		ID: id.New(id.ProviderCall, wall), TransactionID: txn.ID, Operation: db.CallCharge, Key: "key-1", StartedAt: wall,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, call))
	})
	calls, err := b.store.Payments.ProviderCalls(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, []db.ProviderCall{call}, calls)

	call.Outcome, call.HTTPStatus, call.Response, call.EndedAt = "succeeded", 200, []byte(`{"id": "pi_1"}`),
		wall.Add(time.Second)
	finish := func(ctx context.Context, tx *db.Tx) error { return tx.Payments.FinishProviderCall(ctx, b.env, call) }
	require.NoError(t, b.try(t, finish))
	calls, err = b.store.Payments.ProviderCalls(t.Context(), b.env, txn.ID)
	require.NoError(t, err)
	require.Equal(t, []db.ProviderCall{call}, calls)
	requireFault(t, b.try(t, finish), fault.NotFound, "provider_call_not_found")
}

// The questions of a search since a restore are listed. Earlier ones do not count any more.
func TestSearched_ByQuestionSinceTheRestore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn := b.pendingCharge(t, "")
	restored := wall.Add(time.Hour)
	ask := func(number int, outcome string, since, at time.Time) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			call := db.ProviderCall{
				ID: id.New(id.ProviderCall, at), TransactionID: txn.ID, Operation: db.CallLookup, StartedAt: at, SendNumber: number,
				Searched: db.Searched{ProviderConfigID: b.provider, Since: since},
			}
			require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, call))
			if outcome != "" {
				call.Outcome, call.EndedAt = outcome, at.Add(time.Second)
				require.NoError(t, tx.Payments.FinishProviderCall(ctx, b.env, call))
			}
		})
	}
	ask(1, "not_found", wall, wall)
	ask(1, "unknown", restored, restored)
	ask(2, "unknown", restored, restored)
	ask(2, "not_found", restored, restored.Add(time.Minute))
	ask(3, "failed", restored, restored.Add(time.Hour))
	ask(3, "", restored, restored.Add(2*time.Hour))
	found, err := b.store.Payments.Searched(t.Context(), b.env, txn.ID, restored)
	require.NoError(t, err)
	slices.SortFunc(found, func(a, b payment.Asked) int { return cmp.Compare(a.Number, b.Number) })
	for i := range found {
		found[i].At = found[i].At.UTC()
	}
	of := func(number int) payment.Question { return payment.Question{AccountID: b.provider, Number: number} }
	require.Equal(t, []payment.Asked{
		{Question: of(1), At: restored},
		{Question: of(2), Absent: true, At: restored.Add(time.Minute)},
		{Question: of(3), Ended: true, At: restored.Add(2 * time.Hour)},
	}, found)
}

// A worker that was killed between a call and its end leaves a row that would otherwise never be finished.
func TestProviderCall_CutOffByTheEndOfAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	txn, other := b.pendingCharge(t, ""), b.pendingCharge(t, "")
	open := func(transactionID string, at time.Time) db.ProviderCall {
		call := db.ProviderCall{
			ID: id.New(id.ProviderCall, at), TransactionID: transactionID, Operation: db.CallCharge, Key: "key-1", StartedAt: at,
		}
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			require.NoError(t, tx.Payments.InsertProviderCall(ctx, b.env, call))
		})
		return call
	}
	finish := func(call db.ProviderCall, outcome string) error {
		call.Outcome, call.EndedAt = outcome, wall.Add(time.Minute)
		return b.try(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.Payments.FinishProviderCall(ctx, b.env, call)
		})
	}
	outcomes := func(transactionID string) (found []string) {
		calls, err := b.store.Payments.ProviderCalls(t.Context(), b.env, transactionID)
		require.NoError(t, err)
		for _, c := range calls {
			require.Equal(t, c.Outcome == "", c.EndedAt.IsZero())
			found = append(found, c.Outcome)
		}
		return found
	}
	killed, repeat := open(txn.ID, wall), open(txn.ID, wall.Add(time.Second))
	open(other.ID, wall)
	require.NoError(t, finish(repeat, "succeeded"))
	require.Equal(t, []string{db.CallCutOff, "succeeded"}, outcomes(txn.ID))
	require.Equal(t, []string{""}, outcomes(other.ID), "another transaction's call goes on")

	require.NoError(t, finish(killed, "declined"), "its worker was only slow")
	require.Equal(t, []string{"declined", "succeeded"}, outcomes(txn.ID))
	requireFault(t, finish(killed, "succeeded"), fault.NotFound, "provider_call_not_found")
}
