package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// completing is a provider that cannot be asked, and completes a charge only with the values that the payer's browser
// brings back.
var completing = payment.Protocol{
	Window: 5 * 24 * time.Hour, Cancel: true, ActionExpiry: 24 * time.Hour, Completes: true,
}

const brought = "redirectResult=X6Xtf"

// back is a charge whose payer came back at now.
func back(t *testing.T, txn payment.Transaction, value string, now time.Time) payment.Transaction {
	t.Helper()
	txn, ask := txn.PayerReturned(value, now)
	require.True(t, ask)
	return txn
}

func TestNext_CompletesWhatThePayerBroughtBack(t *testing.T) {
	t.Parallel()
	txn := asked(t, completing)
	require.Equal(t, txn.Action.ExpiresAt, txn.NextCheckAt, "nothing can be asked before the payer's time is over")
	now := t0.Add(time.Hour)
	require.Equal(t, payment.MoveAwait, completing.Next(txn, false, now))
	require.Equal(t, txn.Action.ExpiresAt, completing.Awaiting(txn, now).NextCheckAt)

	txn = back(t, txn, brought, now)
	require.Equal(t, payment.MoveComplete, completing.Next(txn, false, now))
	require.Equal(t, payment.ConfirmDecided, txn.Confirmation(now))
	require.False(t, txn.WaitsForPayer())

	txn = completing.Waiting(txn.HandingOver(now), 0, now) // no answer
	require.Equal(t, now, txn.HandingOver(now.Add(time.Hour)).Action.HandedAt)
	late := txn.Action.ExpiresAt.Add(24 * time.Hour)
	require.False(t, completing.Overdue(txn, late), "the provider may have it")
	require.Equal(t, payment.MoveComplete, completing.Next(txn, false, late))
	require.Equal(t, payment.MoveAwait, completing.Next(txn, false, now.Add(completing.Window)), "the key is forgotten")
	require.Equal(t, payment.MoveReview, completing.Next(txn, false, t0.Add(completing.Window+24*time.Hour)))
}

// A charge that was never completed has moved nothing: it ends without a request.
func TestNext_UncompletedChargeIsAbandoned(t *testing.T) {
	t.Parallel()
	txn := asked(t, completing)
	end := txn.Action.ExpiresAt
	require.Equal(t, payment.MoveAwait, completing.Next(txn, false, end.Add(-time.Second)))
	require.Equal(t, payment.MoveAbandon, completing.Next(txn, false, end))
	unwanted := txn
	unwanted.CancelRequestedAt = t0.Add(time.Minute)
	require.Equal(t, payment.MoveAbandon, completing.Next(unwanted, false, t0.Add(time.Minute)))
	confirmed := back(t, txn, brought, t0.Add(time.Minute))
	require.Equal(t, payment.MoveComplete, completing.Next(confirmed, false, end), "the payer was in time")
	confirmed.CancelRequestedAt = t0.Add(2 * time.Minute)
	require.Equal(t, payment.MoveAbandon, completing.Next(confirmed, false, t0.Add(2*time.Minute)), "nobody has it yet")
	handed := confirmed.HandingOver(t0.Add(90 * time.Second))
	require.Equal(t, payment.MoveCancel, completing.Next(handed, false, t0.Add(2*time.Minute)), "the provider may have it")
	erased := txn
	erased.Action.Token, erased.Action.URL, erased.CancelRequestedAt = "", "", t0.Add(time.Minute)
	require.Equal(t, payment.MoveAbandon, completing.Next(erased, false, t0.Add(time.Minute)), "link and page are erased")
	require.Equal(t, payment.MoveCancel, asking.Next(asked(t, asking), false, end), "elsewhere the payer may have paid")
}

func TestPayerReturned_KeepsWhatWasBrought(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	txn := back(t, asked(t, completing), "forged", now)
	txn = back(t, txn, brought, now.Add(10*time.Second))
	require.Equal(t, brought, txn.Action.Brought, "the last one, until the provider has it")
	handed := back(t, txn.HandingOver(now), "another", now.Add(20*time.Second))
	require.Equal(t, brought, handed.Action.Brought, "what it may have is not exchanged")
	first := payment.Handed{Brought: brought}
	answered := handed.HandedOver(first, true, false)
	require.Empty(t, answered.Action.Brought)
	require.Zero(t, answered.Action.HandedAt)
	require.Equal(t, payment.ConfirmNow, answered.Confirmation(now), "the payer is asked on")

	pending, _ := completing.AsksPayer(handed.HandedOver(first, false, false), "", now)
	pending.CancelRequestedAt = now
	require.Equal(t, payment.MoveCancel, completing.Next(pending, false, now), "the provider has it")

	_, ask := asked(t, completing).PayerReturned(brought, txn.Action.ExpiresAt)
	require.False(t, ask, "too late: the link says so")
	closed, err := txn.Close(payment.Declined, now)
	require.NoError(t, err)
	require.Equal(t, payment.Action{Token: "TOKEN", ExpiresAt: txn.Action.ExpiresAt, ReturnedAt: txn.Action.ReturnedAt},
		closed.Action, "nothing secret stays")
}

// A restored database may have lost the request to complete the charge: the charge does not end without a request then,
// and values that the payer brings again are submitted again.
func TestRestored_ProviderMayHaveCompletedTheCharge(t *testing.T) {
	t.Parallel()
	txn := asked(t, completing)
	end, restored := txn.Action.ExpiresAt, t0.Add(time.Hour)
	require.Equal(t, txn, txn.Restored(t0.Add(-time.Hour)), "it was asked after that")
	require.Equal(t, txn, txn.Restored(time.Time{}))

	txn = txn.Restored(restored)

	require.Equal(t, payment.MoveCancel, completing.Next(txn, false, end))
	unwanted := txn
	unwanted.CancelRequestedAt = restored
	require.Equal(t, payment.MoveCancel, completing.Next(unwanted, false, restored))
	require.Equal(t, payment.MoveAwait, completing.Next(txn, false, restored))
	again := back(t, txn, brought, restored.Add(time.Minute))
	require.Equal(t, payment.MoveComplete, completing.Next(again, false, restored.Add(time.Minute)))
}

// The refusal of a value that may have been handed over before does not prove that none was: the charge does not end
// without a request then. A provider that asks the payer again proves it.
func TestHandedOver_RefusalOfARepeatProvesNothing(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	txn := back(t, asked(t, completing), brought, now)
	require.Equal(t, payment.Handed{Brought: brought}, txn.Handing())
	txn = txn.HandingOver(now)
	again := txn.Handing()
	require.Equal(t, payment.Handed{Brought: brought, Again: true}, again)

	refused := txn.HandedOver(again, true, false)

	require.Empty(t, refused.Action.Brought, "the payer may bring something else")
	require.Equal(t, payment.MoveCancel, completing.Next(refused, false, refused.Action.ExpiresAt))
	require.Zero(t, txn.HandedOver(again, false, true).Action.HandedAt, "the payer is asked on")
}

func TestOvertaken(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	txn := back(t, asked(t, completing), brought, now)
	handed, older := payment.Handed{Brought: brought}, payment.Handed{Brought: "redirectResult=older"}
	answered := txn.HandedOver(handed, false, false)
	closed, err := txn.Close(payment.Declined, now)
	require.NoError(t, err)
	for _, o := range []answer.Outcome{
		answer.Succeeded, answer.Declined, answer.Failed, answer.Canceled, answer.Pending,
		answer.Unknown, answer.NotSent,
	} {
		require.False(t, txn.Overtaken(handed, o), o)
		require.Equal(t, o != answer.Succeeded, txn.Overtaken(older, o), "%s: a newer value waits", o)
		require.Equal(t, !o.Final(), answered.Overtaken(handed, o), "%s: it was answered", o)
		require.False(t, closed.Overtaken(handed, o), "%s: what is closed has rules of its own", o)
	}
}
