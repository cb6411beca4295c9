package life

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// CheckBySchedule checks payments at the times of their own schedules.
func (l *Life) CheckBySchedule(t *testing.T, ids []string, until time.Time) {
	t.Helper()
	for {
		next := slices.MinFunc(
			ids, func(a, b string) int { return l.Transaction(a).NextCheckAt.Compare(l.Transaction(b).NextCheckAt) },
		)
		at := l.Transaction(next).NextCheckAt
		if at.After(until) {
			l.Clock.Set(until)
			return
		}
		l.Clock.Set(at)
		l.Charge(t, next)
	}
}

// CheckWoken are the payments that a pass has asked about, which then happens.
func (l *Life) CheckWoken(t *testing.T, w *Waker) (ids []string) {
	t.Helper()
	for _, did := range w.Pass(t, l.Scene) {
		if id, ok := strings.CutPrefix(did, "check  "); ok {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		_, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: id, Asked: true})
		require.NoError(t, err)
	}
	return ids
}

// OwnCharge inserts a charge without a subscription, as the API does.
func (l *Life) OwnCharge(t *testing.T) payment.Transaction {
	t.Helper()
	now := l.Clock.Now()
	if l.Payer.TestClockID != "" {
		now = scene.Start // where the clock stands
	}
	txn := payment.NewCharge(payment.NewChargeInput{
		ID: id.New(id.Transaction, l.Clock.Now()), Customer: l.Payer, Amount: 5, Currency: "EUR",
		Trigger: collection.Manual, HasProvider: true, Due: now, Now: now,
		Real: l.Clock.Now(), Virtual: l.Payer.TestClockID != "",
	})
	l.InTx(t, func(tx *db.Tx) error { return tx.Payments.InsertTransaction(t.Context(), l.Env, txn) })
	return txn
}

// Charge calls Charge as a workflow of the transaction's own does: without a time.
func (l *Life) Charge(t *testing.T, txnID string) {
	t.Helper()
	_, err := l.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txnID})
	require.NoError(t, err)
}

// ChargeWith is one attempt of the activity, whose worker may die.
func (l *Life) ChargeWith(ctx context.Context, txn string) {
	l.T.Helper()
	_, err := l.Payments.Charge(ctx, contract.ResolveInput{EnvironmentID: l.Env, TransactionID: txn, Now: l.Clock.Now()})
	if ctx.Err() == nil {
		require.NoError(l.T, err)
	}
	l.Clock.Add(time.Second)
}
