package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
)

func TestProgress_WhatFollows(t *testing.T) {
	t.Parallel()
	at := charging.Target{AccountID: "a", Protocol: protocol}
	sends := charging.Step{Move: payment.MoveSend, Target: at, Transaction: due(sent), Route: charging.Route{Backups: 1}}
	looks := charging.Step{Move: payment.MoveLookup, Target: at, Transaction: due(sent)}
	last, asked, two := sends, looks, looks
	last.Backups, asked.Asked, two.Evidence = 0, true, make([]charging.Evidence, 2)
	lost := charging.Step{
		Move: payment.MoveLookup, Target: charging.Target{AccountID: "a"}, RestoredAt: restored,
		Search: charging.Search{Lost: &charging.Lost{Send: payment.Send{Number: 1}}},
	}
	waits, earlier := lost, looks
	waits.Lost, earlier.Earlier = &charging.Lost{Begin: true}, &payment.Send{Number: 1}
	heard := asked
	heard.RestoredAt = restored
	repeats := due(sent, func(t *payment.Transaction) { t.NextCheckAt = t0 })
	known := due(sent, func(t *payment.Transaction) { t.ProviderRef, t.NextCheckAt = "pi_1", t0.Add(time.Minute) })
	for name, c := range map[string]struct {
		step charging.Step
		said answer.Outcome
		txn  payment.Transaction // after it
		want charging.Goes
		idle bool
	}{
		"refused, and another account can take it": {sends, answer.NotSent, due(), charging.IfTime, true},
		"refused by the last":                      {last, answer.NotSent, due(), charging.Ends, true},
		"taken":                                    {sends, answer.Pending, due(sent), charging.Ends, false},
		"silence":                                  {sends, answer.Unknown, due(sent), charging.Ends, false},
		"it provably never arrived":                {looks, answer.NotFound, due(), charging.IfTime, false},
		"not known there, its key may be repeated": {looks, answer.NotFound, repeats, charging.IfTime, false},
		"known there":                              {looks, answer.Pending, known, charging.Ends, false},
		"two callbacks prove something":            {two, answer.Failed, due(sent), charging.Instant, false},
		"an earlier send":                          {earlier, answer.Failed, due(sent), charging.Instant, false},
		"a search, nothing there":                  {lost, answer.NotFound, due(old), charging.IfTime, true},
		"a search, silence":                        {lost, answer.Unknown, due(old), charging.IfTime, true},
		"a search that found it":                   {lost, answer.Succeeded, due(sent), charging.Ends, true},
		"a search that waits":                      {waits, "", due(old), charging.Ends, true},
		"a search, left to a person":               {lost, answer.NotFound, due(old, parked), charging.Ends, true},
		"callbacks that decided nothing":           {heard, answer.NotFound, due(old), charging.IfTime, false},
	} {
		r, goes := charging.Progress{}.After(c.step, c.said, 0, c.txn, t0)
		require.Equal(t, c.want, goes, name)
		require.Equal(t, c.idle, r.Idle, name)
	}
	r, _ := charging.Progress{}.After(sends, answer.NotSent, 0, due(), t0)
	require.Equal(t, []string{"a"}, r.Refused)
	r, goes := charging.Progress{Asked: true}.After(looks, answer.NotFound, 0, due(), t0)
	require.Equal(t, charging.Ends, goes, "callbacks are followed first")
	require.Empty(t, r.Refused)
}

func TestProgress_Unsent(t *testing.T) {
	t.Parallel()
	idle := charging.Progress{Idle: true}
	later := func(t *payment.Transaction) { t.NextCheckAt = t0.Add(30 * time.Second) }
	gap, waits := idle.Unsent(due(later), t0)
	require.True(t, waits)
	require.Equal(t, 30*time.Second, gap)
	for name, txn := range map[string]payment.Transaction{
		"sent": due(later, sent), "due": due(),
		"due just now":     due(func(t *payment.Transaction) { t.NextCheckAt = t0 }),
		"left to a person": due(later, func(t *payment.Transaction) { t.ParkedAt = t0 }),
		"failed":           due(later, func(t *payment.Transaction) { t.Status = payment.Failed }),
	} {
		_, waits := idle.Unsent(txn, t0)
		require.False(t, waits, name)
	}
	_, waits = charging.Progress{}.Unsent(due(later), t0)
	require.False(t, waits, "it waits for something else than time")
}

// The facts that steps pass on are kept, whatever steps come between.
func TestProgress_IsKept(t *testing.T) {
	t.Parallel()
	at := charging.Target{AccountID: "a", Protocol: protocol}
	looks := charging.Step{Move: payment.MoveLookup, Target: at, Transaction: due(sent)}
	earlier := looks
	earlier.Earlier = &payment.Send{Number: 1}
	r, _ := charging.Progress{}.After(looks, answer.Pending, 0, due(sent), t0)
	require.False(t, r.Earlier)
	r, _ = charging.Progress{}.After(earlier, answer.Pending, 0, due(sent), t0)
	require.True(t, r.Earlier)
	r, _ = r.After(looks, answer.Pending, 0, due(sent), t0)
	require.True(t, r.Earlier)
}

// Callbacks about a charge that may repeat a lost send are followed once: by a look-up, or by believing them. After
// another move, or about a charge that repeats nothing, they are not done.
func TestProgress_CallbacksAreFollowedOnce(t *testing.T) {
	t.Parallel()
	step := func(m payment.Move, asked bool) charging.Step {
		at := charging.Target{AccountID: "a", Protocol: protocol}
		return charging.Step{Move: m, Asked: asked, RestoredAt: restored, Target: at}
	}
	parked := due(old, func(t *payment.Transaction) { t.ParkedAt = t0 })
	for name, c := range map[string]struct {
		step charging.Step
		txn  payment.Transaction
		done bool
		goes charging.Goes
	}{
		"looked up":                        {step(payment.MoveLookup, true), due(old), true, charging.IfTime},
		"believed":                         {step(payment.MoveBelieve, true), due(old), true, charging.IfTime},
		"no callbacks":                     {step(payment.MoveLookup, false), due(old), false, charging.Ends},
		"believed, that nobody asked for":  {step(payment.MoveBelieve, false), due(old), false, charging.Ends},
		"waited for":                       {step(payment.MoveHold, true), due(old), false, charging.Ends},
		"it repeats nothing":               {step(payment.MoveLookup, true), due(), false, charging.Ends},
		"a person must find out meanwhile": {step(payment.MoveLookup, true), parked, true, charging.Ends},
	} {
		c.step.Evidence = make([]charging.Evidence, 1)
		r, goes := charging.Progress{}.After(c.step, answer.Failed, 0, c.txn, t0)
		require.Equal(t, c.done, r.CallbacksDone, name)
		require.Equal(t, c.goes, goes, name)
	}
}

// An account that said nothing final is silent, and its silence is counted once where no account is left that owes no
// answer. The longest wait that was asked for counts.
func TestProgress_Searched(t *testing.T) {
	t.Parallel()
	ask := func(fresh bool) charging.Step {
		return charging.Step{
			Move: payment.MoveLookup, Target: charging.Target{AccountID: "a", Provider: "apay"}, RestoredAt: restored,
			Search: charging.Search{Lost: &charging.Lost{Send: payment.Send{Number: 1}, Fresh: fresh}},
		}
	}
	for said, silent := range map[answer.Outcome]int{
		answer.NotFound: 0, answer.Succeeded: 0, answer.Failed: 0, answer.Unknown: 1, answer.Pending: 1, answer.NotSent: 1,
	} {
		r, _ := charging.Progress{}.After(ask(true), said, time.Minute, due(old), t0)
		require.Equal(t, []string{"a"}, r.Questioned, said)
		require.Len(t, r.Silent, silent, said)
		require.False(t, r.Counted, said)
	}
	r, _ := charging.Progress{}.After(ask(true), answer.Unknown, time.Minute, due(old), t0)
	require.Equal(t, time.Minute, r.Wait)
	r, _ = r.After(ask(false), answer.Unknown, time.Second, due(old), t0)
	require.True(t, r.Counted)
	require.Equal(t, time.Minute, r.Wait)
	r, _ = r.After(ask(true), answer.Unknown, time.Hour, due(old), t0)
	require.True(t, r.Counted)
	require.Equal(t, time.Hour, r.Wait)
}

// Only a pending charge goes to the next account.
func TestProgress_WhatIsNotSentOn(t *testing.T) {
	t.Parallel()
	sends := charging.Step{
		Move: payment.MoveSend, Target: charging.Target{AccountID: "a", Protocol: protocol},
		Route: charging.Route{Backups: 1},
	}
	for name, txn := range map[string]payment.Transaction{
		"a refund":               due(func(t *payment.Transaction) { t.Type = payment.Refund }),
		"a charge that is over":  due(func(t *payment.Transaction) { t.Status = payment.Canceled }),
		"a charge that was sent": due(sent),
	} {
		r, goes := charging.Progress{}.After(sends, answer.NotSent, 0, txn, t0)
		require.Equal(t, charging.Ends, goes, name)
		require.Empty(t, r.Refused, name)
	}
}
