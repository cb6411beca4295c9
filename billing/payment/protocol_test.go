package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

var (
	t0       = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	protocol = payment.Protocol{
		Window: 20 * time.Hour, LookupByKey: true, LookupByRef: true, Cancel: true, AbsenceAfter: 20 * time.Hour,
		AbsenceGap: time.Hour,
	}
)

func TestNextMove(t *testing.T) {
	t.Parallel()
	sent := payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, FirstSentAt: t0, Method: payment.Method{Type: "card"},
	}
	with := func(change func(*payment.Transaction)) payment.Transaction {
		c := sent
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		txn   payment.Transaction
		asked bool
		at    time.Time
		want  payment.Move
	}{
		"new": {payment.Transaction{Status: payment.Pending}, false, t0, payment.MoveSend},
		"new, no longer wanted": {payment.Transaction{Status: payment.Pending, CancelRequestedAt: t0}, false, t0,
			payment.MoveAbandon},
		"silence inside the window": {sent, false, t0.Add(20*time.Hour - 1), payment.MoveReplay},
		"silence twice":             {with(func(x *payment.Transaction) { x.Checks = 2 }), false, t0, payment.MoveLookup},
		"silence three times":       {with(func(x *payment.Transaction) { x.Checks = 3 }), false, t0, payment.MoveReplay},
		"silence after the window":  {sent, false, t0.Add(20 * time.Hour), payment.MoveLookup},
		"known to the provider": {with(func(x *payment.Transaction) {
			x.ProviderRef = "pi_1"
		}), false, t0, payment.MoveLookup},
		"sent, no longer wanted": {with(func(x *payment.Transaction) {
			x.CancelRequestedAt = t0
		}), false, t0, payment.MoveCancel},
		"the customer was erased": {with(func(x *payment.Transaction) {
			x.Method = payment.Method{}
		}), false, t0, payment.MoveLookup},
		"payer erased before the send": {
			payment.Transaction{Type: payment.Charge, Status: payment.Pending}.PayerErased(t0), false, t0, payment.MoveAbandon,
		},
		"payer erased after the send": {sent.PayerErased(t0), false, t0, payment.MoveReplay},
		"payer erased, refund": {payment.Transaction{Type: payment.Refund, Status: payment.Pending}.PayerErased(t0),
			false, t0, payment.MoveSend},
		"payer erased, late send": {
			payment.Transaction{Type: payment.Charge, Status: payment.Pending, SendDueAt: t0}.PayerErased(t0), false,
			t0.Add(10 * time.Hour), payment.MoveLookup,
		},
		"parked": {with(func(x *payment.Transaction) {
			x.ParkedAt = t0
		}), false, t0, payment.MoveNone},
		"parked, provider speaks": {with(func(x *payment.Transaction) {
			x.ParkedAt = t0
		}), true, t0, payment.MoveReplay},
		"success": {with(func(x *payment.Transaction) {
			x.Status = payment.Success
		}), false, t0, payment.MoveNone},
		"success, asked": {with(func(x *payment.Transaction) {
			x.Status = payment.Success
		}), true, t0, payment.MoveLookup},
		"failed": {with(func(x *payment.Transaction) {
			x.Status = payment.Failed
		}), false, t0, payment.MoveNone},
		"failed, provider speaks": {with(func(x *payment.Transaction) {
			x.Status = payment.Failed
		}), true, t0, payment.MoveLookup},
		"canceled, provider speaks": {with(func(x *payment.Transaction) {
			x.Status = payment.Canceled
		}), true, t0, payment.MoveLookup},
		"failed without a provider call": {payment.Transaction{Status: payment.Failed}, true, t0, payment.MoveNone},
		"first send, due long ago": {
			payment.Transaction{Status: payment.Pending, SendDueAt: t0}, false, t0.Add(10 * time.Hour), payment.MoveLookup,
		},
		"first send, due just less long ago": {
			payment.Transaction{Status: payment.Pending, SendDueAt: t0}, false, t0.Add(10*time.Hour - 1), payment.MoveSend,
		},
		"first send, due long ago, no longer wanted": {
			payment.Transaction{Status: payment.Pending, SendDueAt: t0, CancelRequestedAt: t0}, false, t0.Add(10 * time.Hour),
			payment.MoveLookup,
		},
		"first send, due long ago, unknown to the provider": {
			payment.Transaction{Status: payment.Pending, SendDueAt: t0, NotFoundCount: 1}, false, t0.Add(10 * time.Hour),
			payment.MoveSend,
		},
		"refunded":        {payment.Transaction{Status: payment.Refunded, FirstSentAt: t0}, false, t0, payment.MoveNone},
		"refunded, asked": {payment.Transaction{Status: payment.Refunded, FirstSentAt: t0}, true, t0, payment.MoveLookup},
	} {
		require.Equal(t, c.want, protocol.Next(c.txn, c.asked, c.at), name)
	}
}

func TestTransaction_Attend(t *testing.T) {
	t.Parallel()
	with := func(typ payment.Type, status payment.Status, ref string) payment.Transaction {
		return payment.Transaction{
			Type: typ, Status: status, ProviderRef: ref, FirstSentAt: t0, Method: payment.Method{Type: "card"},
		}
	}
	for name, c := range map[string]struct {
		txn   payment.Transaction
		asked bool
		told  string
		ref   string
		move  payment.Move
		about string
	}{
		"nobody asked": {with(payment.Charge, payment.Success, "pi_1"), false, "", "pi_1",
			payment.MoveNone, ""},
		"asked": {with(payment.Charge, payment.Success, "pi_1"), true, "pi_1", "pi_1",
			payment.MoveLookup, ""},
		"asked without a reference": {with(payment.Charge, payment.Success, "pi_1"), true, "", "pi_1",
			payment.MoveLookup, ""},
		"a second operation of a success": {with(payment.Charge, payment.Success, "pi_1"), true, "pi_2", "pi_1",
			payment.MoveLookup, "pi_2"},
		"a second operation of a declined charge": {
			with(payment.Charge, payment.Declined, "pi_1"), true, "pi_2", "pi_1", payment.MoveLookup, "pi_2",
		},
		"a second operation of a pending charge": {with(payment.Charge, payment.Pending, "pi_1"), true, "pi_2", "pi_1",
			payment.MoveLookup, ""},
		"a second operation of a refund": {with(payment.Refund, payment.Refunded, "re_1"), true, "re_2", "re_1",
			payment.MoveLookup, ""},
		"the reference of a lost response": {with(payment.Charge, payment.Pending, ""), true, "pi_1", "pi_1",
			payment.MoveLookup, ""},
		"that of a closed charge": {with(payment.Charge, payment.Failed, ""), true, "pi_1", "pi_1",
			payment.MoveLookup, ""},
	} {
		after, move, about := protocol.Attend(c.txn, c.asked, payment.Callbacks{Ref: c.told}, t0)
		require.Equal(t, c.ref, after.ProviderRef, name)
		require.Equal(t, c.move, move, name)
		require.Equal(t, c.about, about, name)
	}
}

func TestNext_AbsenceNeedsTwoLookUps(t *testing.T) {
	t.Parallel()
	txn := protocol.Sending(payment.Transaction{Status: payment.Pending}, t0)

	txn, proven := protocol.Absent(txn, t0.Add(time.Minute))
	require.False(t, proven, "the send may still arrive, or the index lag")
	require.Zero(t, txn.NotFoundCount)

	txn, proven = protocol.Absent(txn, t0.Add(21*time.Hour))
	require.False(t, proven)
	require.Equal(t, t0.Add(22*time.Hour), txn.NextCheckAt)

	again, proven := protocol.Absent(txn, t0.Add(21*time.Hour+time.Minute))
	require.False(t, proven)
	_, proven = protocol.Absent(again, t0.Add(22*time.Hour))
	require.True(t, proven)
}

// A look-up that finds nothing is an answer: the provider is well, so that the repeat under the key follows at once,
// however rare the checks have become. Where it is not allowed, the payment says why.
func TestAbsent_IsRepeatedAtOnce(t *testing.T) {
	t.Parallel()
	sent := protocol.Sending(payment.Transaction{
		Type: payment.Charge, Status: payment.Pending, Method: payment.Method{Type: "card"},
	}, t0)
	told := payment.Protocol{Window: time.Hour, LookupByKey: true}
	later := func(change func(*payment.Transaction)) payment.Transaction {
		x := sent
		x.Checks = 8
		change(&x)
		return x
	}
	at := t0.Add(10 * time.Minute)
	for name, c := range map[string]struct {
		txn  payment.Transaction
		p    payment.Protocol
		at   time.Time
		gap  time.Duration // to the next check; zero: at once
		move payment.Move
		why  string
	}{
		"looked up by its own schedule": {later(func(*payment.Transaction) {}), protocol, at, 0, payment.MoveReplay, ""},
		"looked up for another reason": {later(func(x *payment.Transaction) { x.Checks = 7 }), protocol, at, 0,
			payment.MoveReplay, ""},
		"to be canceled": {later(func(x *payment.Transaction) { x.CancelRequestedAt = t0 }), protocol, at, time.Hour,
			payment.MoveCancel, "is to be canceled"},
		"the method is erased": {later(func(x *payment.Transaction) { x.Method = payment.Method{} }), protocol, at, time.Hour,
			payment.MoveLookup, "was erased"},
		"it had a name": {later(func(x *payment.Transaction) { x.ProviderRef = "pi_1" }), protocol, at, time.Hour,
			payment.MoveLookup, "had accepted it"},
		"after the window, absence is to be proven": {later(func(*payment.Transaction) {}), protocol, t0.Add(20 * time.Hour),
			time.Hour, payment.MoveLookup, "sent anew only when"},
		"after the window, absence is never proven": {later(func(*payment.Transaction) {}), told, t0.Add(time.Hour),
			time.Hour, payment.MoveLookup, "may have forgotten it"},
	} {
		after, proven := c.p.Absent(c.txn, c.at)
		require.False(t, proven, name)
		require.Equal(t, c.at.Add(c.gap), after.NextCheckAt, name)
		require.Equal(t, c.move, c.p.Next(after, false, c.at), name)
		if why := c.p.Unrepeated(after, c.at); c.why == "" {
			require.Empty(t, why, name)
		} else {
			require.Contains(t, why, c.why, name)
		}
	}
}

// A look-up before a late first send is no proof that a later send did not arrive: it only lets the first send go out.
func TestAbsent_BeforeALateFirstSend(t *testing.T) {
	t.Parallel()
	at := t0.Add(30 * time.Hour)
	txn, proven := protocol.Absent(payment.Transaction{Status: payment.Pending, SendDueAt: t0}, at)
	require.False(t, proven)
	require.Equal(t, at, txn.NextCheckAt, "it is sent at once")
	require.Equal(t, payment.MoveSend, protocol.Next(txn, false, at))

	txn = protocol.Sending(txn, at)
	require.Zero(t, txn.NotFoundCount, "the question before the send proves nothing about the send")
	txn, proven = protocol.Absent(txn, at.Add(21*time.Hour))
	require.False(t, proven, "absence takes two questions after the window")
	_, proven = protocol.Absent(txn, at.Add(22*time.Hour))
	require.True(t, proven)
}

func TestSending_SetsTheNextCheck(t *testing.T) {
	t.Parallel()
	txn := protocol.Sending(payment.Transaction{Status: payment.Pending, NextCheckAt: t0}, t0.Add(time.Minute))
	require.Equal(t, t0.Add(time.Minute+10*time.Second), txn.NextCheckAt)
	again := protocol.Sending(txn, t0.Add(time.Hour))
	require.Equal(t, txn, again, "a repeat keeps time and key of the first send")
}

func TestClose_KeepsFinalStatuses(t *testing.T) {
	t.Parallel()
	txn := payment.Transaction{Type: payment.Charge, Status: payment.Pending, FailureCode: "DECLINED"}
	txn, err := txn.Close(payment.Success, t0)
	require.NoError(t, err)
	require.Empty(t, txn.FailureCode)
	_, err = txn.Close(payment.Failed, t0)
	require.ErrorIs(t, err, payment.ErrFinal)
}

func TestNext_ChecksBackOff(t *testing.T) {
	t.Parallel()
	txn, last := payment.Transaction{}, time.Duration(0)
	for range 12 {
		txn = protocol.Waiting(txn, 0, t0)
		gap := txn.NextCheckAt.Sub(t0)
		require.GreaterOrEqual(t, gap, last)
		last = gap
	}
	require.Equal(t, time.Hour, last)
	require.Equal(t, t0.Add(2*time.Hour), protocol.Waiting(txn, 2*time.Hour, t0).NextCheckAt, "the provider's wish counts")
}

func TestProtocol_Configured(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	type protocol = payment.Protocol
	type set = payment.Configuration
	for name, c := range map[string]struct {
		of          protocol
		asksPayer   bool
		set         set
		action, gap time.Duration
	}{
		"nobody is asked":             {protocol{}, false, set{Page: true, ConfirmWithin: day}, 0, 0},
		"no page of ours":             {protocol{}, true, set{ConfirmWithin: day}, 0, 0},
		"a day":                       {protocol{}, true, set{Page: true}, day, 0},
		"as configured":               {protocol{}, true, set{Page: true, ConfirmWithin: time.Hour}, time.Hour, 0},
		"no longer than it is kept":   {protocol{Expiry: time.Hour}, true, set{Page: true}, time.Hour, 0},
		"shorter than it is kept":     {protocol{Expiry: 2 * day}, true, set{Page: true}, day, 0},
		"kept, and nobody is asked":   {protocol{Expiry: day}, false, set{Page: true}, 0, 0},
		"the provider's gap":          {protocol{AbsenceGap: time.Hour}, false, set{}, 0, time.Hour},
		"another gap":                 {protocol{AbsenceGap: time.Hour}, false, set{AbsenceGap: time.Minute}, 0, time.Minute},
		"a longer gap":                {protocol{AbsenceGap: time.Hour}, false, set{AbsenceGap: day}, 0, day},
		"one look-up is proof enough": {protocol{}, false, set{AbsenceGap: time.Minute}, 0, 0},
	} {
		c.of.Window, c.of.Completes = day, true
		want := c.of
		want.ActionExpiry, want.AbsenceGap = c.action, c.gap
		require.Equal(t, want, c.of.Configured(c.asksPayer, c.set), name)
	}
}
