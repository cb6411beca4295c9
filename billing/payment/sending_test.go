package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// Gaps between checks grow: 10 s, 30 s, a minute and so on. The second one is half a minute.
func TestChecks_AreCountedAndSpacedOut(t *testing.T) {
	t.Parallel()
	sent := due()
	sent.FirstSentAt, sent.SendNumber, sent.Checks = t0, 1, 1
	refused := payment.Protocol{}.NotTaken(sent, payment.MoveReplay, 0, t0)
	require.Equal(t, 2, refused.Checks)
	require.Equal(t, t0.Add(30*time.Second), refused.NextCheckAt)

	misnamed := payment.Protocol{}.Misnamed(sent, t0)
	require.Equal(t, 1, misnamed.Checks, "no check of the transaction")
	require.Equal(t, t0.Add(30*time.Second), misnamed.NextCheckAt)
	require.Zero(t, payment.Protocol{}.Misnamed(sent.Park(t0), t0).NextCheckAt)

	require.Equal(t, 2, payment.Protocol{}.Awaiting(sent, t0).Checks)
}

func TestAwaiting_PayerWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	txn := asked(t, asking)
	end := txn.Action.ExpiresAt
	require.Equal(t, end, asking.Awaiting(txn, end.Add(-1)).NextCheckAt)
	require.True(t, asking.Awaiting(txn, end).NextCheckAt.After(end))
}

func TestKeepsKey(t *testing.T) {
	t.Parallel()
	charge, refund := payment.Transaction{Type: payment.Charge}, payment.Transaction{Type: payment.Refund}
	require.True(t, refund.KeepsKey(true))
	require.False(t, refund.KeepsKey(false), "the request did not arrive")
	require.False(t, charge.KeepsKey(true))
}

// Only a provider that accepts the transaction after silence begins the gaps anew.
func TestExchanged_AnswerAfterSilence(t *testing.T) {
	t.Parallel()
	silent := due()
	silent.Checks, silent.Silence = 5, payment.Silence{Since: t0, At: t0}
	for said, want := range map[answer.Outcome]int{answer.Pending: 0, answer.Declined: 5} {
		after := silent.Exchanged(t0.Add(time.Hour), said)
		require.Equal(t, want, after.Checks, said)
		require.Zero(t, after.Silence, said)
	}
}

func TestUnrepeated_SaysNothingOfWhatIsNotUnderWay(t *testing.T) {
	t.Parallel()
	require.Empty(t, payment.Protocol{}.Unrepeated(due(), t0), "never sent")
	sent := due()
	sent.FirstSentAt = t0
	require.Contains(t, payment.Protocol{}.Unrepeated(sent, t0.Add(time.Hour)), "It may have forgotten it")
	sent.Status = payment.Failed
	require.Empty(t, payment.Protocol{}.Unrepeated(sent, t0.Add(time.Hour)), "decided")
}

func TestChecks_Gaps(t *testing.T) {
	t.Parallel()
	for checks, gap := range []time.Duration{
		10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute,
		time.Hour, time.Hour,
	} {
		sent := due()
		sent.FirstSentAt, sent.Checks = t0, checks
		require.Equal(t, t0.Add(gap), payment.Protocol{}.Waiting(sent, 0, t0).NextCheckAt, "check %d", checks+1)
	}
}
