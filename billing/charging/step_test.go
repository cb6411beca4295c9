package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/charging"
	"perennial/billing/payment"
)

// An account that is asked by our key before a late first send must be asked by the key that the send will have: a
// restored database may have lost just that one.
func TestKeyNumber_BeforeASendIsThatOfTheSend(t *testing.T) {
	t.Parallel()
	for _, sent := range []int{0, 1} {
		asks := charging.Step{
			Move: payment.MoveLookup, Subject: charging.Subject{Number: sent},
			Transaction: payment.Transaction{ID: "txn_1", Type: payment.Charge, SendNumber: sent},
		}
		sends := asks
		sends.Move = payment.MoveSend
		require.Equal(t, sent+1, asks.KeyNumber())
		require.Equal(t, sent+1, sends.Begun("", time.Unix(1, 0)).KeyNumber())
		asks.Earlier, asks.Number = &payment.Send{Number: 1}, 1
		require.Equal(t, 1, asks.KeyNumber(), "an earlier send has its own")
	}
}

func TestStep_Turn(t *testing.T) {
	t.Parallel()
	const far = charging.ShortTurn
	send := charging.Step{Move: payment.MoveSend, Transaction: payment.Transaction{Type: payment.Charge}}
	sent := payment.Transaction{Type: payment.Charge, FirstSentAt: time.Unix(1, 0), SendNumber: 1}
	poll := charging.Step{Move: payment.MoveLookup, Transaction: sent}
	asked := poll
	asked.Asked = true
	replay := charging.Step{Move: payment.MoveReplay, Transaction: sent}
	searches := replay
	searches.Lost = &charging.Lost{}
	refund := charging.Step{Move: payment.MoveSend, Transaction: payment.Transaction{Type: payment.Refund}}
	all := map[string]charging.Step{
		"send": send, "poll": poll, "callback": asked, "replay": replay, "search": searches, "refund": refund,
	}
	for name, c := range map[string]struct{ near, far charging.Turn }{
		"send": {charging.TurnNear, charging.TurnLater}, "search": {charging.TurnNear, charging.TurnLater},
		"poll":     {charging.TurnLater, charging.TurnLater}, // its row says when, and nothing waits for it
		"callback": {charging.TurnBusy, charging.TurnBusy}, "replay": {charging.TurnBusy, charging.TurnBusy},
		"refund": {charging.TurnBusy, charging.TurnBusy},
	} {
		of := all[name]
		require.Equal(t, c.near, of.Turn(far-1, false), name)
		require.Equal(t, c.far, of.Turn(far, false), name)
		for _, wait := range []time.Duration{1, far, 10 * far} {
			require.Equal(t, charging.TurnSoon, of.Turn(wait, true), name)
		}
		require.Equal(t, charging.TurnNow, of.Turn(0, true), name)
	}
}
