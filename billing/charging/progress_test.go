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
	parked := func(t *payment.Transaction) { t.ParkedAt = t0 }
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
		"left to a person": due(later, func(t *payment.Transaction) { t.ParkedAt = t0 }),
		"failed":           due(later, func(t *payment.Transaction) { t.Status = payment.Failed }),
	} {
		_, waits := idle.Unsent(txn, t0)
		require.False(t, waits, name)
	}
	_, waits = charging.Progress{}.Unsent(due(later), t0)
	require.False(t, waits, "it waits for something else than time")
}
