package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func due() payment.Transaction {
	return payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, AttemptNumber: 2, SendDueAt: t0, NextCheckAt: t0,
		Method: payment.Method{Type: "card"},
	}
}

func TestHeld_StopUsesUpNothing(t *testing.T) {
	t.Parallel()
	held, now := due(), t0
	for range 30 {
		held = held.Held("Charging is paused.", 0, payment.Hold{ByStop: true, Revision: 3}, time.Time{}, now)
		require.Equal(t, now.Add(24*time.Hour), held.NextCheckAt)
		now = held.NextCheckAt
	}
	require.Equal(t, 1, held.Checks, "the gaps after the send begin anew")
	require.Equal(t, 2, held.AttemptNumber)
	require.Equal(t, payment.Hold{At: now.Add(-24 * time.Hour), Revision: 3, ByStop: true}, held.HeldBack)

	sent := protocol.Sending(held, now)
	require.Zero(t, sent.HeldBack)
	require.Empty(t, sent.FailureReason)
	require.Equal(t, now.Add(10*time.Second), sent.NextCheckAt)
}

func TestHeld_WithoutProviderWaitsMinutes(t *testing.T) {
	t.Parallel()
	held := due()
	for range 10 {
		held = held.Held("No provider.", 0, payment.Hold{}, time.Time{}, t0)
	}
	require.Equal(t, 10, held.Checks)
	require.Equal(t, t0.Add(5*time.Minute), held.NextCheckAt)
}

// A held charge was not sent before the hold ended, so that the length of a stop leads to no look-up or review. A
// database that was restored to a time within a stop has the stop in it: a charge that was sent after the end of the
// stop was sent after the last hold too.
func TestNext_LatenessBeginsAtTheLastHold(t *testing.T) {
	t.Parallel()
	noLookup := payment.Protocol{Window: 168 * time.Hour, Cancel: true}
	for name, c := range map[string]struct {
		protocol payment.Protocol
		since    time.Duration // the last hold
		want     payment.Move
	}{
		"asked, soon":           {protocol, 10*time.Hour - time.Second, payment.MoveSend},
		"asked, late":           {protocol, 10 * time.Hour, payment.MoveLookup},
		"cannot be asked, soon": {noLookup, 24 * time.Hour, payment.MoveSend},
		"cannot be asked, late": {noLookup, 168 * time.Hour, payment.MoveReview},
	} {
		now := t0.AddDate(0, 3, 0)
		held := due().Held("Charging is paused.", 0, payment.Hold{ByStop: true}, time.Time{}, t0)
		held = held.Held("Charging is paused.", 0, payment.Hold{ByStop: true}, time.Time{}, now.Add(-c.since))
		require.Equal(t, c.want, c.protocol.Next(held, false, now), name)
	}
}

// A charge that is held again after a restore may have been sent in the lost window, whenever it was held before. That
// routing finds no account says nothing about the lost send, until every account was asked.
func TestHeld_AfterARestoreProvesNothing(t *testing.T) {
	t.Parallel()
	held := due().Held("Charging is paused.", 0, payment.Hold{ByStop: true}, time.Time{}, t0.Add(time.Hour))
	require.False(t, held.MayRepeat(time.Time{}))
	restored := t0.Add(2 * time.Hour)
	for n := range 3 {
		now := restored.Add(time.Duration(n) * 24 * time.Hour)
		held = held.Held("Charging is paused.", 0, payment.Hold{ByStop: true}, restored, now)
		require.Equal(t, t0.Add(time.Hour), held.HeldBack.At, "known not to be sent until then")
		require.True(t, held.MayRepeat(restored))
	}
	held.CancelRequestedAt = restored
	require.Equal(t, payment.MoveHold, held.Hold(restored))
	now := restored.AddDate(0, 0, 3)
	held = held.NothingLost(now)
	require.False(t, held.MayRepeat(restored))
	require.Equal(t, payment.MoveAbandon, held.Hold(restored))
	require.True(t, held.MayRepeat(now.Add(time.Second)), "a later restore loses later sends")
	held = held.Held("Charging is paused.", 0, payment.Hold{ByStop: true}, restored, now)
	require.Equal(t, now, held.HeldBack.At)
}

// However long a payment was held, or refused, the look-ups after its send begin at once.
func TestSending_AnswerIsAskedForAsAfterAFirstSend(t *testing.T) {
	t.Parallel()
	waited := due()
	for range 20 {
		waited = waited.Held("It rests.", 30*time.Second, payment.Hold{}, time.Time{}, t0)
	}
	for name, txn := range map[string]payment.Transaction{"not held": due(), "held": waited} {
		for n := range 8 {
			sent := protocol.Sending(txn, t0)
			require.Equal(t, t0.Add(10*time.Second), protocol.Waiting(sent, 0, t0).NextCheckAt, name)
			txn = protocol.NotTaken(sent, payment.MoveSend, 0, t0)
			gap := []time.Duration{10 * time.Second, 30 * time.Second, time.Minute}[min(n, 2)]
			require.Equal(t, t0.Add(gap), txn.NextCheckAt, name)
		}
	}
}
