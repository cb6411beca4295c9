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
	before := charging.Step{Move: payment.MoveLookup, Transaction: payment.Transaction{Type: payment.Charge}}
	all := map[string]charging.Step{
		"send": send, "poll": poll, "callback": asked, "replay": replay, "search": searches, "refund": refund,
		"look-up before a late send": before,
	}
	for name, c := range map[string]struct{ near, far charging.Turn }{
		"send": {charging.TurnNear, charging.TurnLater}, "search": {charging.TurnNear, charging.TurnLater},
		"poll":     {charging.TurnLater, charging.TurnLater}, // its row says when, and nothing waits for it
		"callback": {charging.TurnBusy, charging.TurnBusy}, "replay": {charging.TurnBusy, charging.TurnBusy},
		"refund":                     {charging.TurnBusy, charging.TurnBusy},
		"look-up before a late send": {charging.TurnBusy, charging.TurnBusy},
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

func TestStep_Requests(t *testing.T) {
	t.Parallel()
	for move, c := range map[payment.Move]struct{ asks, sends bool }{
		payment.MoveSend: {true, true}, payment.MoveReplay: {true, true}, payment.MoveLookup: {true, false},
		payment.MoveCancel: {true, false}, payment.MoveComplete: {true, false}, payment.MoveHold: {},
		payment.MoveBelieve: {}, payment.MoveAwait: {}, payment.MoveReview: {}, payment.MoveAbandon: {},
		payment.MoveNone: {},
	} {
		s := charging.Step{Move: move}
		require.Equal(t, c.asks, s.Asks(), move)
		require.Equal(t, c.sends, s.SendsKey(), move)
		require.Equal(t, move == payment.MoveReplay, s.Repeats(), move)
		s.MayRepeat = true
		require.True(t, s.Repeats(), move)
	}
	for number, want := range map[int]bool{0: false, 1: false, 2: true} {
		s := charging.Step{Subject: charging.Subject{Number: number}}
		s.Transaction.Action.ApartSend = 2
		require.Equal(t, want, s.AskedApart(), number)
	}
	require.False(t, charging.Step{}.AskedApart(), "nothing was sent")
	require.Equal(t, "canceled before it was sent", charging.Step{Transaction: due()}.Abandoned())
	require.Equal(t, "canceled before its payer confirmed it", charging.Step{Transaction: due(sent)}.Abandoned())
}

// A first send gets a token for the payer's page only where the payer can be asked, and keeps the token that the payer
// may have already.
func TestStep_Begun(t *testing.T) {
	t.Parallel()
	asking := protocol
	asking.ActionExpiry = time.Hour
	began := func(t payment.Transaction, p payment.Protocol, restored time.Time) charging.Step {
		s := charging.Step{Move: payment.MoveSend, Transaction: t, RestoredAt: restored}
		s.Protocol = p
		return s.Begun("token", t0)
	}
	refund := due(func(t *payment.Transaction) { t.Type = payment.Refund })
	had := due(func(t *payment.Transaction) { t.Action.Token, t.SendNumber = "had", 1 })
	for name, c := range map[string]struct {
		txn   payment.Transaction
		by    payment.Protocol
		token string
		apart int
	}{
		"nobody is asked":        {due(), protocol, "", 0},
		"the payer may be asked": {due(), asking, "token", 1},
		"sent anew":              {had, asking, "had", 2},
		"a refund":               {refund, asking, "", 0},
	} {
		s := began(c.txn, c.by, time.Time{})
		require.Equal(t, c.token, s.Transaction.Action.Token, name)
		require.Equal(t, c.apart, s.Transaction.Action.ApartSend, name)
		require.Equal(t, t0, s.Transaction.FirstSentAt, name)
		require.Equal(t, c.txn.SendNumber+1, s.Number, name)
		require.False(t, s.MayRepeat, name)
	}
	require.True(t, began(due(old), protocol, restored).MayRepeat, "a restored database may have forgotten it")

	brings := due(sent, func(t *payment.Transaction) { t.Action.Brought = "code" })
	first := charging.Step{Move: payment.MoveComplete, Transaction: brings}.Begun("token", t0)
	require.Equal(t, payment.Handed{Brought: "code"}, first.Handed)
	require.Equal(t, t0, first.Transaction.Action.HandedAt)
	again := charging.Step{Move: payment.MoveComplete, Transaction: first.Transaction}.Begun("token", t0.Add(time.Hour))
	require.Equal(t, payment.Handed{Brought: "code", Again: true}, again.Handed)
	require.Equal(t, t0, again.Transaction.Action.HandedAt)

	looks := charging.Step{Move: payment.MoveLookup, Transaction: due(sent)}
	require.Equal(t, looks, looks.Begun("token", t0))
}

// A step that is put off comes back at its promised turn, and its row says so. A poll counts no check, and a send shows
// no account that never had it.
func TestStep_PutOff(t *testing.T) {
	t.Parallel()
	const wait = time.Minute
	row := due(func(t *payment.Transaction) { t.Checks = 3 })
	send := charging.Step{Move: payment.MoveSend, Row: row, Transaction: row}
	send.Transaction.ProviderConfigID, send.Transaction.Provider = "a", "apay"
	require.Zero(t, send.Promised(), "it comes for the first time")
	held := send.PutOff(wait, t0)
	require.Equal(t, payment.MoveNone, held.Move)
	require.Empty(t, held.Transaction.ProviderConfigID)
	require.Contains(t, held.Transaction.FailureReason, "waits for its turn")
	require.Equal(t, 4, held.Transaction.Checks)
	require.Equal(t, t0.Add(wait), charging.Step{Row: held.Transaction}.Promised())

	poll := charging.Step{Move: payment.MoveLookup, Transaction: due(sent, func(t *payment.Transaction) { t.Checks = 3 })}
	later := poll.PutOff(wait, t0)
	want := poll.Transaction
	want.NextCheckAt = t0.Add(wait)
	require.Equal(t, want, later.Transaction)
	require.Zero(t, charging.Step{Row: later.Transaction}.Promised())

	search := poll
	search.Lost = &charging.Lost{Why: "It is looked for."}
	later = search.PutOff(wait, t0)
	require.Equal(t, payment.MoveNone, later.Move)
	require.Equal(t, "It is looked for. It takes no more requests a second now.", later.Transaction.FailureReason)
	require.Equal(t, t0.Add(wait), charging.Step{Row: later.Transaction}.Promised(), "also of what was sent once")
}
