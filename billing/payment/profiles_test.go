package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/payment"
)

// profiles are the protocols of the providers: one can be asked everything, one only sends callbacks, one is asked by
// our key and cannot cancel, and one is asked by its own reference only.
var profiles = map[string]payment.Protocol{
	"asked and replayed": protocol,
	"told only":          {Window: 7 * 24 * time.Hour, Cancel: true},
	"asked by key": {
		Window: 24 * time.Hour, LookupByKey: true, LookupByRef: true, AbsenceAfter: 15 * time.Minute,
		Checks: []time.Duration{time.Minute, 5 * time.Minute}, Expiry: 15 * time.Minute,
	},
	"asked by reference": {Window: 24 * time.Hour, LookupByRef: true, Expiry: time.Hour},
}

// An exchange may arrive or not, and its answer be lost. The provider forgets the key with the window.
type counterpart struct {
	payment.Protocol
	arrived time.Time // zero: never
	moved   int       // how often money moved
}

func (c *counterpart) receive(now time.Time) {
	if c.moved == 0 || now.Sub(c.arrived) >= c.Window {
		c.moved++
		c.arrived = now
	}
}

func TestNext_MoneyMovesOnceForEveryProfile(t *testing.T) {
	t.Parallel()
	for name, p := range profiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { moneyMovesOnce(t, p) })
		})
	}
}

func moneyMovesOnce(t *rapid.T, p payment.Protocol) {
	draw := func(label string) bool { return rapid.Bool().Draw(t, label) }
	txn := payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, Method: payment.Method{Type: "card"}, SendDueAt: t0,
	}
	now, there, mayHaveArrived := t0, &counterpart{Protocol: p}, false
	var sends []payment.Send
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		now = now.Add(time.Duration(rapid.Int64Range(0, int64(6*time.Hour)).Draw(t, "passes")))
		if draw("no longer wanted") && draw("surely") && draw("really") {
			txn.CancelRequestedAt = now
		}
		move := p.Next(txn, draw("asked"), now)
		switch move {
		case payment.MoveSend, payment.MoveReplay:
			if move == payment.MoveSend && mayHaveArrived {
				t.Fatalf("sent anew although an earlier send may have arrived")
			}
			number := txn.SendNumber
			if txn = p.Sending(txn, now); move == payment.MoveReplay && txn.SendNumber != number {
				t.Fatalf("a replay changed the key")
			}
			if draw("not taken") {
				txn = p.NotTaken(txn, move, 0, now)
				break
			}
			mayHaveArrived = true
			if draw("arrives") {
				there.receive(now)
			}
			txn = p.Waiting(txn, 0, now)
			if there.moved > 0 && draw("the answer names it") {
				txn.ProviderRef = "ref"
			}
		case payment.MoveLookup:
			if !p.LookupByKey && (!p.LookupByRef || txn.ProviderRef == "") {
				t.Fatalf("looked up what the provider cannot be asked")
			}
			if there.moved > 0 {
				txn = p.Waiting(txn, 0, now)
				break
			}
			var proven bool
			if txn, proven = p.Absent(txn, now); !proven {
				break
			}
			sends = append(sends, payment.Send{Number: txn.SendNumber, Outcome: answer.NotFound})
			if txn, proven = txn.Anew(sends, now); !proven {
				return // it has failed, and no money moved
			}
			mayHaveArrived = false
		case payment.MoveCancel:
			if !p.Cancel {
				t.Fatalf("canceled what the provider cannot cancel")
			}
			txn = p.Waiting(txn, 0, now)
		case payment.MoveAwait:
			if txn = p.Awaiting(txn, now); !txn.NextCheckAt.After(now) {
				t.Fatalf("waits for nothing")
			}
		default: // the end
			return
		}
		if there.moved > 1 {
			t.Fatalf("money moved %d times", there.moved)
		}
	}
}

func TestNext_ByCapabilities(t *testing.T) {
	t.Parallel()
	const hour = time.Hour
	told, byKey, byRef := profiles["told only"], profiles["asked by key"], profiles["asked by reference"]
	plain := func(*payment.Transaction) {}
	named := func(x *payment.Transaction) { x.ProviderRef = "ref" }
	unwanted := func(x *payment.Transaction) { x.CancelRequestedAt = t0 }
	unwantedLate := func(x *payment.Transaction) { x.CancelRequestedAt = t0.Add(8*24*hour - time.Minute) }
	erased := func(x *payment.Transaction) { x.Method = payment.Method{} }
	closed := func(x *payment.Transaction) { x.Status, x.ProviderRef = payment.Failed, "ref" }
	unsent := func(x *payment.Transaction) { x.FirstSentAt, x.SendDueAt = time.Time{}, t0 }
	for name, c := range map[string]struct {
		p      payment.Protocol
		change func(*payment.Transaction)
		checks int
		asked  bool
		after  time.Duration
		want   payment.Move
	}{
		"told only: silence is replayed each time": {told, plain, 2, false, hour, payment.MoveReplay},
		"told only: accepted":                      {told, named, 1, false, hour, payment.MoveAwait},
		"told only: after the window":              {told, plain, 9, false, 7 * 24 * hour, payment.MoveAwait},
		"told only: a day after the window":        {told, plain, 9, false, 8 * 24 * hour, payment.MoveReview},
		"told only: accepted, and nothing came":    {told, named, 9, false, 8 * 24 * hour, payment.MoveReview},
		"told only: no longer wanted":              {told, unwanted, 1, false, hour, payment.MoveCancel},
		"told only: a cancel that nobody answers":  {told, unwanted, 9, false, 8 * 24 * hour, payment.MoveReview},
		"told only: a late cancel":                 {told, unwantedLate, 9, false, 8 * 24 * hour, payment.MoveCancel},
		"told only: payer erased":                  {told, erased, 1, false, hour, payment.MoveAwait},
		"told only: closed, a message came":        {told, closed, 1, true, hour, payment.MoveNone},
		"told only: late first send":               {told, unsent, 0, false, 6 * 24 * hour, payment.MoveSend},
		"told only: too late first send":           {told, unsent, 0, false, 7 * 24 * hour, payment.MoveReview},
		"by key: silence":                          {byKey, plain, 1, false, time.Minute, payment.MoveReplay},
		"by key: silence twice":                    {byKey, plain, 2, false, time.Minute, payment.MoveLookup},
		"by key: absence can be proven":            {byKey, plain, 3, false, 15 * time.Minute, payment.MoveLookup},
		"by key: no longer wanted":                 {byKey, unwanted, 1, false, time.Minute, payment.MoveLookup},
		"by key: closed, a message came":           {byKey, closed, 1, true, hour, payment.MoveLookup},
		"by reference: silence twice":              {byRef, plain, 2, false, hour, payment.MoveReplay},
		"by reference: accepted":                   {byRef, named, 1, false, hour, payment.MoveLookup},
		"by reference: no longer wanted":           {byRef, unwanted, 1, false, hour, payment.MoveAwait},
		"by reference: after the window":           {byRef, plain, 9, false, 25 * hour, payment.MoveAwait},
	} {
		txn := payment.Transaction{
			Type: payment.Charge, Status: payment.Pending, FirstSentAt: t0, Checks: c.checks,
			Method: payment.Method{Type: "card"},
		}
		c.change(&txn)
		require.Equal(t, c.want, c.p.Next(txn, c.asked, t0.Add(c.after)), name)
	}
}

func TestAbsent_OneLookUpIsProof(t *testing.T) {
	t.Parallel()
	p := profiles["asked by key"]
	txn := p.Sending(payment.Transaction{Status: payment.Pending}, t0)
	require.Equal(t, t0.Add(time.Minute), txn.NextCheckAt, "the provider's own schedule")
	_, proven := p.Absent(txn, t0.Add(30*time.Minute-1))
	require.False(t, proven, "a repeat may have been sent a quarter of an hour ago")
	_, proven = p.Absent(txn, t0.Add(30*time.Minute))
	require.True(t, proven)
}

func TestAbsent_IsNeverProvenWhereTheProviderCannotSay(t *testing.T) {
	t.Parallel()
	p := payment.Protocol{Window: time.Hour, LookupByKey: true}
	txn := p.Sending(payment.Transaction{Status: payment.Pending}, t0)
	for day := range 100 {
		after, proven := p.Absent(txn, t0.AddDate(0, 0, day))
		require.False(t, proven)
		txn = after
	}
}

func TestAwaiting_LooksAgainWhenTheWaitIsOver(t *testing.T) {
	t.Parallel()
	p := profiles["told only"]
	txn := p.Sending(payment.Transaction{Type: payment.Charge, Status: payment.Pending, ProviderRef: "ref"}, t0)
	txn = p.Awaiting(txn, t0.Add(time.Hour))
	require.Equal(t, t0.AddDate(0, 0, 8), txn.NextCheckAt)
	require.Equal(t, payment.MoveReview, p.Next(txn, false, txn.NextCheckAt))
}
