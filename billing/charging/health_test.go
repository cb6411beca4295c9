package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/billing/routing"
)

func TestReply_SaysOfItsAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply                   charging.Reply
		refuses, serves, silent bool
	}{
		"success":             {charging.Reply{Outcome: answer.Succeeded, HTTPStatus: 200}, false, true, false},
		"pending":             {charging.Reply{Outcome: answer.Pending, HTTPStatus: 200}, false, true, false},
		"not known there":     {charging.Reply{Outcome: answer.NotFound, HTTPStatus: 404}, false, true, false},
		"no connection":       {charging.Reply{Outcome: answer.NotSent}, false, false, true},
		"no answer":           {charging.Reply{Outcome: answer.Unknown}, false, false, true},
		"its server fails":    {charging.Reply{Outcome: answer.Unknown, HTTPStatus: 500}, false, false, true},
		"too many requests":   {charging.Reply{Outcome: answer.NotSent, HTTPStatus: 429}, false, false, false},
		"unknown credentials": {charging.Reply{Outcome: answer.NotSent, HTTPStatus: 401}, true, false, false},
		"not permitted":       {charging.Reply{Outcome: answer.NotSent, HTTPStatus: 403}, true, false, false},
		"an operator is away": {charging.Reply{Outcome: answer.NotSent, NotOffered: true}, false, false, false},
		"which it said by 403": {
			charging.Reply{Outcome: answer.NotSent, NotOffered: true, HTTPStatus: 403}, false, false, false,
		},
	} {
		require.Equal(t, c.refuses, c.reply.RefusesCredentials(), name)
		require.Equal(t, c.serves, c.reply.Serves(), name)
		require.Equal(t, c.silent, c.reply.Silent(), name)
	}
}

func TestReply_News(t *testing.T) {
	t.Parallel()
	refused := charging.Reply{Outcome: answer.NotSent, HTTPStatus: 401}
	served, silence := charging.Reply{Outcome: answer.Pending}, charging.Reply{Outcome: answer.Unknown}
	for name, c := range map[string]struct {
		reply             charging.Reply
		failing, untested bool
		want              charging.News
	}{
		"refused":                      {refused, false, false, charging.Refused},
		"refused, still":               {refused, true, false, charging.NoNews},
		"refused, and the test failed": {refused, false, true, charging.Refused},
		"served":                       {served, false, false, charging.NoNews},
		"served again":                 {served, true, true, charging.ServesAgain},
		"reached":                      {served, false, true, charging.Reached},
		"silence says nothing of that": {silence, true, true, charging.NoNews},
	} {
		require.Equal(t, c.want, c.reply.News(c.failing, c.untested), name)
	}
}

func TestReply_Breaker(t *testing.T) {
	t.Parallel()
	send := charging.Step{Move: payment.MoveSend, Transaction: due()}
	look := charging.Step{Move: payment.MoveLookup, Transaction: due(sent)}
	back := charging.Step{Move: payment.MoveSend, Transaction: payment.Transaction{ID: "txn_2", Type: payment.Refund}}
	unknown := charging.Reply{Outcome: answer.NotSent, HTTPStatus: 401}
	denied := charging.Reply{Outcome: answer.NotSent, HTTPStatus: 403}
	away := charging.Reply{Outcome: answer.NotSent}
	took := charging.Reply{Outcome: answer.Pending, HTTPStatus: 200}
	failed := routing.Breaker{Failures: 2, FailingSince: t0, FailedBy: [5]string{"txn_8", "txn_9"}}
	for name, c := range map[string]struct {
		was      routing.Breaker
		reply    charging.Reply
		step     charging.Step
		failures int
		opened   bool
		silent   bool
	}{
		"a send is not taken":               {routing.Breaker{}, away, send, 1, false, true},
		"a look-up is not answered":         {routing.Breaker{}, away, look, 0, false, true},
		"unknown credentials, of a send":    {routing.Breaker{}, unknown, send, 1, true, false},
		"unknown credentials, of a look-up": {routing.Breaker{}, unknown, look, 1, true, false},
		"a charge is not permitted":         {routing.Breaker{}, denied, send, 1, true, false},
		"a refund is not permitted":         {routing.Breaker{}, denied, back, 0, false, false},
		"a send is taken":                   {failed, took, send, 0, false, false},
		"a look-up is answered":             {failed, took, look, 2, false, false},
		"the operator of a phone is closed": {
			failed, charging.Reply{Outcome: answer.NotSent, NotOffered: true}, send, 2, false, false,
		},
		"a refund is taken: charges may not": {failed, took, back, 2, false, false},
	} {
		b := c.reply.Breaker(c.was, c.step, t0, t0)
		require.Equal(t, c.failures, b.Failures, name)
		require.Equal(t, c.opened, b.Opened(), name)
		require.Equal(t, c.silent, !b.SilentSince.IsZero(), name)
	}
	silence := routing.Breaker{SilentSince: t0.Add(-10 * time.Minute)}
	require.Equal(t, t0, took.Breaker(silence, look, t0, t0).RecoveredAt, "any answer ends silence")
}
