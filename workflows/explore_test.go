package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// choices is one path through a tree of decisions. next moves on to the path behind it, until all were walked.
type choices struct {
	path, widths []int
	at           int
}

func (c *choices) pick(n int) int {
	if c.at == len(c.path) {
		c.path, c.widths = append(c.path, 0), append(c.widths, n)
	}
	c.at++
	return c.path[c.at-1]
}

func (c *choices) next() bool {
	for c.at = 0; len(c.path) > 0; {
		last := len(c.path) - 1
		if c.path[last]++; c.path[last] < c.widths[last] {
			return true
		}
		c.path, c.widths = c.path[:last], c.widths[:last]
	}
	return false
}

// beginning is the situation in which an exploration begins.
type beginning struct {
	name    string
	row     row
	loaded  bool // the run has a snapshot already
	moves   int  // hours in which something may happen
	hidden  int  // how many more things may happen while the rules run
	checked bool // a callback came during the run before
}

// TestSubscription_EveryInterleaving drives the real workflow through every order of signals, answers and timers, to a
// depth, from every situation. No message is lost, there is no deadlock and no busy loop: world checks this whenever
// the run rests.
func TestSubscription_EveryInterleaving(t *testing.T) {
	t.Parallel()
	asleep := row{revision: 1, nextAt: noon.Add(150 * time.Minute)}
	onTheHour, behind, onClock, inReview := asleep, asleep, asleep, asleep
	onTheHour.nextAt = noon.Add(2 * time.Hour) // at the very instant of a move
	behind.nextAt = noon.Add(-570 * time.Minute)
	onClock.clock = noon
	inReview.live = &contract.Attempt{TransactionID: "txn_1", Sent: true}
	inReview.inReview = true
	for _, b := range []beginning{
		{name: "a new run", row: asleep, moves: 2, hidden: 1},
		{name: "asleep", row: asleep, loaded: true, moves: 3},
		{name: "asleep, called while the rules run", row: asleep, loaded: true, moves: 2, hidden: 1},
		{name: "a boundary at the instant of a move", row: onTheHour, loaded: true, moves: 3},
		{name: "several periods behind", row: behind, moves: 1, hidden: 1},
		{name: "on a test clock", row: onClock, loaded: true, moves: 3},
		{name: "a payment in review", row: inReview, loaded: true, moves: 2, hidden: 1},
		{name: "a callback carried over", row: asleep, loaded: true, moves: 2, hidden: 1, checked: true},
	} {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			paths := 0
			for path := (&choices{}); ; {
				explore(t, b, path)
				if paths++; !path.next() {
					break
				}
			}
			t.Logf("%d paths", paths)
		})
	}
}

// explore walks one path: the moves, an hour apart, then the time in which everything must come to rest.
func explore(t *testing.T, b beginning, path *choices) {
	t.Helper()
	w := &world{t: t, row: b.row, choices: path, moves: b.moves, hidden: b.hidden}
	in := &contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}}
	if b.loaded {
		snap := w.snapshot()
		in.Snapshot = &snap
	} else {
		w.unread = 1
	}
	if b.checked {
		in.Checks, w.checks = []string{"txn_0"}, map[string]bool{"txn_0": true}
	}
	at := noon
	for end := noon.Add(time.Duration(b.moves+closing) * time.Hour); in != nil && at.Before(end); {
		in, at = w.run(in, at, end)
		if in == nil { // finished: the next signal starts it again
			in, at = w.reopen(at, end)
		}
	}
}

// closing is the number of hours for which the world runs after the last move: long enough for a boundary and its
// payment.
const closing = 7

// run plays one run and returns the input and the start of the next; nil: the workflow has completed.
func (w *world) run(in *contract.SubscriptionInput, at, end time.Time) (*contract.SubscriptionInput, time.Time) {
	w.t.Helper()
	w.open(at)
	for hour := at.Truncate(time.Hour); hour.Before(end); hour = hour.Add(time.Hour) {
		if hour.After(at) {
			w.env.RegisterDelayedCallback(func() { w.hour() }, hour.Sub(at))
		}
	}
	if w.met.Equal(at) && w.env != nil {
		w.repeat(*in)
	}
	w.env.RegisterDelayedCallback(func() { w.atRest(); w.env.CancelWorkflow() }, end.Sub(at))
	w.env.ExecuteWorkflow(contract.SubscriptionWorkflow, *in)
	w.close()
	require.True(w.t, w.env.IsWorkflowCompleted())
	at = w.env.Now().UTC()
	w.log("run ends")
	var again *workflow.ContinueAsNewError
	err := w.env.GetWorkflowError()
	require.True(w.t, w.flight == "" || temporal.IsCanceledError(err), "a run ended during an exchange\n%q", w.story)
	switch {
	case err == nil:
		require.True(w.t, w.row.finished && w.unread == 0 && len(w.checks) == 0, "a run ended too early\n%q", w.story)
		return nil, at
	case errors.As(err, &again):
		var next contract.SubscriptionInput
		require.NoError(w.t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &next))
		return &next, at
	}
	require.True(w.t, temporal.IsCanceledError(err), "%v\n%v", err, w.story)
	return nil, end
}

// reopen lets the remaining moves happen to a subscription whose workflow has completed.
func (w *world) reopen(at, end time.Time) (*contract.SubscriptionInput, time.Time) {
	for at = at.Truncate(time.Hour).Add(time.Hour); at.Before(end) && w.moves > 0; at = at.Add(time.Hour) {
		w.env, w.now = nil, at
		w.moves--
		if w.move(w.signals()); w.unread > 0 {
			return &contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}}, at
		}
	}
	return nil, end
}

// open prepares the environment of one run.
func (w *world) open(at time.Time) {
	w.turn.Lock()
	w.env, w.over, w.timers = bare(), false, map[string]bool{}
	w.turn.Unlock()
	w.env.RegisterActivityWithOptions(inTurn(w, w.advance), activity.RegisterOptions{Name: contract.ActivityAdvance})
	w.env.RegisterActivityWithOptions(inTurn(w, w.charge), activity.RegisterOptions{Name: contract.ActivityCharge})
	w.env.SetStartTime(at)
	w.env.SetOnTimerScheduledListener(func(id string, _ time.Duration) { w.timers[id] = true })
	w.env.SetOnTimerFiredListener(func(id string) { delete(w.timers, id) })
	w.env.SetOnTimerCanceledListener(func(id string) { delete(w.timers, id) })
}
