package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
)

// "Not taken" proves that a first send did not arrive only where no other request can have had its key.
func TestNotTaken(t *testing.T) {
	t.Parallel()
	first := charging.Step{Move: payment.MoveSend, Transaction: due()}
	repeat, refund := first, first
	repeat.MayRepeat = true
	refund.Transaction.Type = payment.Refund
	own, another := charging.Call{ID: "pc_1", Key: "k1"}, charging.Call{ID: "pc_2", Key: "k1"}
	for name, c := range map[string]struct {
		step    charging.Step
		reached bool
		calls   []charging.Call
		want    payment.Move
	}{
		"its own call":                        {first, true, []charging.Call{own}, payment.MoveSend},
		"no call":                             {first, true, nil, payment.MoveSend},
		"under another key before":            {first, true, []charging.Call{own, {ID: "pc_2", Key: "k0"}}, payment.MoveSend},
		"another worker, under the key":       {first, true, []charging.Call{own, another}, payment.MoveReplay},
		"a restored database may have sent":   {repeat, true, []charging.Call{own}, payment.MoveReplay},
		"a refund that arrived":               {refund, true, []charging.Call{own}, payment.MoveReplay},
		"a refund whose request was not made": {refund, false, []charging.Call{own}, payment.MoveSend},
	} {
		require.Equal(t, c.want, c.step.NotTaken(c.reached, "pc_1", "k1", c.calls), name)
	}
}

// The refusal of a completion proves nothing where another worker may have handed over the same before.
func TestNotCompleted(t *testing.T) {
	t.Parallel()
	later := t0.Add(time.Second)
	for name, c := range map[string]struct {
		other charging.Call
		want  answer.Outcome
	}{
		"none":                        {charging.Call{}, answer.NotSent},
		"its own":                     {charging.Call{ID: "pc_1", Completes: true, StartedAt: later}, answer.NotSent},
		"another since":               {charging.Call{ID: "pc_2", Completes: true, StartedAt: t0}, answer.Unknown},
		"one of another value":        {charging.Call{ID: "pc_2", Completes: true, StartedAt: t0.Add(-1)}, answer.NotSent},
		"one that hands over nothing": {charging.Call{ID: "pc_2", StartedAt: later}, answer.NotSent},
	} {
		require.Equal(t, c.want, charging.Step{}.NotCompleted("pc_1", t0, []charging.Call{c.other}), name)
	}
}

func TestAnswersSend(t *testing.T) {
	t.Parallel()
	step := func(change func(*charging.Step)) charging.Step {
		s := charging.Step{Move: payment.MoveSend, Subject: charging.Subject{Number: 2}}
		change(&s)
		return s
	}
	earlier := func(sent time.Time) charging.Step {
		return step(func(s *charging.Step) { s.Move, s.Earlier = payment.MoveLookup, &payment.Send{SentAt: sent} })
	}
	other := step(func(s *charging.Step) { s.Move, s.About = payment.MoveLookup, "pi_2" })
	as := func(m payment.Move) func(*charging.Step) { return func(s *charging.Step) { s.Move = m } }
	for name, c := range map[string]struct {
		step    charging.Step
		move    payment.Move
		said    answer.Outcome
		answers bool
	}{
		"a send":                  {step(as(payment.MoveSend)), payment.MoveSend, answer.Pending, true},
		"a send, not taken":       {step(as(payment.MoveSend)), payment.MoveSend, answer.NotSent, true},
		"a repeat":                {step(as(payment.MoveReplay)), payment.MoveReplay, answer.Pending, true},
		"a repeat, not taken":     {step(as(payment.MoveReplay)), payment.MoveReplay, answer.NotSent, false},
		"what counts as a repeat": {step(as(payment.MoveSend)), payment.MoveReplay, answer.NotSent, false},
		"a look-up":               {step(as(payment.MoveLookup)), payment.MoveLookup, answer.Failed, true},
		"a callback":              {step(as(payment.MoveBelieve)), payment.MoveBelieve, answer.Failed, true},
		"nothing was asked":       {step(as(payment.MoveHold)), payment.MoveHold, answer.NotSent, false},
		"nothing asked, or said":  {step(as(payment.MoveAwait)), payment.MoveAwait, answer.Failed, false},
		"no answer":               {step(as(payment.MoveSend)), payment.MoveSend, "", false},
		"no send":                 {step(func(s *charging.Step) { s.Number = 0 }), payment.MoveSend, answer.Failed, false},
		"about another operation": {other, payment.MoveLookup, answer.Failed, false},
		"an earlier send":         {earlier(t0), payment.MoveLookup, answer.Failed, true},
		"an earlier one, no row":  {earlier(time.Time{}), payment.MoveLookup, answer.Failed, false},
	} {
		number, answers := c.step.AnswersSend(c.move, c.said)
		require.Equal(t, c.answers, answers, name)
		require.Equal(t, c.step.Number, number, name)
	}
}

func TestSendIs(t *testing.T) {
	t.Parallel()
	s := charging.Step{Subject: charging.Subject{Number: 2}, Target: charging.Target{AccountID: "a"}}
	require.True(t, s.SendIs(nil), "it was forgotten")
	require.True(t, s.SendIs([]payment.Send{{Number: 1, ProviderConfigID: "b"}, {Number: 2, ProviderConfigID: "a"}}))
	require.False(t, s.SendIs([]payment.Send{{Number: 1, ProviderConfigID: "a"}, {Number: 2, ProviderConfigID: "b"}}))
}
