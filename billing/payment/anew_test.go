package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

func TestAnew_AfterProofOfAbsence(t *testing.T) {
	t.Parallel()
	now := t0.Add(30 * time.Hour)
	lost := protocol.Sending(payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, Method: payment.Method{Type: "card"}, SendDueAt: t0,
	}, t0)
	lost.Checks, lost.NotFoundCount, lost.NotFoundAt = 12, 2, now

	txn, ok := lost.Anew([]payment.Send{{Number: 1, Outcome: answer.NotFound}}, now)

	require.True(t, ok)
	require.False(t, txn.EverSent())
	require.Equal(t, payment.MoveSend, protocol.Next(txn, false, now),
		"not asked about first, as one that was due a day ago is")
	require.False(t, txn.MayRepeat(now))
	sent := protocol.Sending(txn, now)
	require.Equal(t, 2, sent.SendNumber, "a new key")
	require.Equal(t, payment.MoveReplay, protocol.Next(sent, false, now.Add(time.Second)))
	_, proven := protocol.Absent(sent, now.Add(time.Second))
	require.False(t, proven, "what was proven of the first send says nothing about the second")
}

func TestAnew_Refused(t *testing.T) {
	t.Parallel()
	send := func(n int, outcome answer.Outcome) payment.Send { return payment.Send{Number: n, Outcome: outcome} }
	for name, c := range map[string]struct {
		change func(*payment.Transaction)
		sends  []payment.Send
		anew   bool
	}{
		"lost once": {func(*payment.Transaction) {}, []payment.Send{send(3, answer.NotFound)}, true},
		"lost twice": {
			func(*payment.Transaction) {
			}, []payment.Send{send(1, answer.NotFound), send(3, answer.NotFound)}, true,
		},
		"refused before": {
			func(*payment.Transaction) {},
			[]payment.Send{send(1, answer.NotSent), send(2, answer.NotSent),
				send(3, answer.NotFound)}, true,
		},
		"lost three times": {
			func(*payment.Transaction) {},
			[]payment.Send{send(1, answer.NotFound), send(2, answer.NotFound),
				send(3, answer.NotFound)}, false,
		},
		"a refund":         {func(x *payment.Transaction) { x.Type = payment.Refund }, nil, false},
		"no longer wanted": {func(x *payment.Transaction) { x.CancelRequestedAt = t0 }, nil, false},
		"it had a name":    {func(x *payment.Transaction) { x.ProviderRef = "pi_1" }, nil, false},
	} {
		txn := payment.Transaction{Type: payment.Charge, Status: payment.Pending, SendNumber: 3, FirstSentAt: t0}
		c.change(&txn)
		after, ok := txn.Anew(c.sends, t0)
		require.Equal(t, c.anew, ok, name)
		if !ok {
			require.Equal(t, txn, after, name)
		}
	}
}
