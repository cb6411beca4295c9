package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"perennial/billing/payment"
	"perennial/contract"
)

// periodLength is the length of the world's periods: the boundaries lie between its moves.
const periodLength = 4 * time.Hour

// row is the subscription in a database that is a struct.
type row struct {
	revision           int64
	period             int
	nextAt             time.Time // of the renewal; zero: canceled
	live               *contract.Attempt
	inReview, finished bool
	clock              time.Time // the test clock's; zero: real time
}

// world is everything around one subscription's runs. It decides by choices what happens next.
type world struct {
	t *testing.T
	row
	choices *choices
	moves   int // hours in which something may happen
	hidden  int // moves that may happen while the rules run
	env     *testsuite.TestWorkflowEnvironment
	now     time.Time // while no run is open
	timers  map[string]bool

	unread     int             // changes of the row that no run has read since
	late       *contract.Wake  // word that is still under way
	checks     map[string]bool // callbacks that no exchange has followed
	attempts   int
	activities int       // since the last rest
	busy       time.Time // when the last activity ran
	met        time.Time // when a move met a run at work
	flight     string    // the transaction of the exchange in flight
	asked      bool
	token      []byte
	answer     *contract.ResolveOutput // recorded, but not delivered
	story      []string

	turn sync.Mutex // the turn in the world: an activity's, or the turn of the check of a run that has ended
	over bool       // the run has ended
}

// errOver is the result of an activity that begins after its run has ended: it must not touch the world of the next
// run.
var errOver = errors.New("the run is over")

// inTurn is the test's guard of an activity of the open run.
func inTurn[In, Out any](w *world, do func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	env := w.env
	return func(ctx context.Context, in In) (out Out, err error) {
		w.turn.Lock()
		defer w.turn.Unlock()
		if w.over || w.env != env {
			return out, errOver
		}
		return do(ctx, in)
	}
}

// close waits for the running activity, which the run may have left behind, and prevents others.
func (w *world) close() {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.over = true
}

type move struct {
	name string
	make func()
}

func (w *world) log(what string) {
	w.story = append(w.story, w.time().Format("15:04 ")+what)
}

func (w *world) time() time.Time {
	if w.env == nil {
		return w.now
	}
	return w.env.Now().UTC()
}

// move performs one of the moves or none; it reports whether it performed one.
func (w *world) move(options []move) bool {
	n := w.choices.pick(len(options) + 1)
	if n > 0 {
		w.log(options[n-1].name)
		options[n-1].make()
	}
	return n > 0
}

// signals are the moves of people, providers and the reconciler.
func (w *world) signals() []move {
	out := []move{{"wake", func() { w.revision++; w.signal(contract.SignalWake) }}}
	if w.live == nil {
		// A new attempt leaves the subscription's revision as it is.
		out = append(out, move{"pay", func() { w.attempt(); w.finished = false; w.signal(contract.CommandPay) }})
	}
	if !w.nextAt.IsZero() {
		out = append(out, move{"cancel", func() {
			w.nextAt = time.Time{}
			w.end()
			w.revision++
			w.signal(contract.CommandCancel)
		}})
	}
	if w.env == nil {
		return out
	}
	if w.late != nil {
		out = append(out, move{"the late word arrives", func() { w.tell(*w.late); w.late = nil }})
	} else if w.live == nil && w.nextAt.After(w.ownTime(w.time())) {
		out = append(out, move{"told", func() { w.told(w.tell) }},
			move{"told late, or never", func() { w.told(func(word contract.Wake) { w.late = &word }) }})
	}
	out = append(out, move{"check", func() { w.callback("txn_0") }},
		move{"history grows long", func() { w.env.SetContinueAsNewSuggested(true); w.signal(contract.SignalWake) }})
	if w.live != nil {
		out = append(out, move{"check of the attempt", func() { w.callback(w.live.TransactionID) }})
	}
	return out
}

// signal signals the run that the row changed, unless a signal is under way.
func (w *world) signal(name string) {
	if w.unread++; w.unread == 1 && w.env != nil {
		w.env.SignalWorkflow(name, contract.Wake{Revision: w.revision})
	}
}

// told is a command after which the run has no work: the signal carries the row, and may be late or lost.
func (w *world) told(how func(contract.Wake)) {
	w.nextAt = w.nextAt.Add(time.Hour)
	w.revision++
	if w.unread == 0 {
		snap := w.snapshot()
		how(contract.Wake{Revision: w.revision, Snapshot: &snap})
	}
}

func (w *world) tell(word contract.Wake) { w.env.SignalWorkflow(contract.CommandChangePlan, word) }

func (w *world) callback(txn string) {
	if w.checks == nil {
		w.checks = map[string]bool{}
	}
	w.checks[txn] = true
	w.env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: txn})
}

func (w *world) attempt() {
	w.attempts++
	w.live = &contract.Attempt{TransactionID: fmt.Sprint("txn_", 1+w.attempts)}
}

// end finishes a canceled subscription that has nothing pending.
func (w *world) end() {
	if w.nextAt.IsZero() && w.live == nil && !w.finished {
		w.finished = true
		w.revision++
	}
}

// advance is the activity. Something may happen right before it reads the row, and right after it has.
func (w *world) advance(_ context.Context, in contract.AdvanceInput) (contract.Snapshot, error) {
	w.activities, w.busy = w.activities+1, w.time()
	w.hiddenMove()
	w.unread = 0
	w.catchUp(in.Now)
	snap := w.snapshot()
	w.log(fmt.Sprint("advance reads revision ", snap.Revision))
	w.hiddenMove()
	return snap, nil
}

func (w *world) hiddenMove() {
	if w.hidden > 0 && w.moves > 0 && w.move(w.signals()) {
		w.hidden--
	}
}

// catchUp opens one period, where one is due.
func (w *world) catchUp(now time.Time) {
	if !w.nextAt.IsZero() && !w.ownTime(now).Before(w.nextAt) {
		w.nextAt, w.period, w.revision = w.nextAt.Add(periodLength), w.period+1, w.revision+1
		if w.live == nil {
			w.attempt()
		}
	}
	w.end()
}

func (w *world) ownTime(now time.Time) time.Time {
	if w.clock.IsZero() {
		return now
	}
	return w.clock
}

func (w *world) snapshot() contract.Snapshot {
	s := contract.Snapshot{
		Revision: w.revision, Status: "active", CustomerID: "cust_1", PlanID: "plan_1", NextAction: "renewal",
		NextAt: w.nextAt, ClockNow: w.clock, PeriodEnd: w.nextAt, Period: w.period, Finished: w.finished,
	}
	if w.nextAt.IsZero() {
		s.Status, s.NextAction = "canceled", "none"
	}
	if w.live != nil && !w.inReview {
		live := *w.live
		s.Live = &live
	}
	if w.env != nil {
		s.Unfinished = !w.nextAt.IsZero() && !w.ownTime(w.time()).Before(w.nextAt)
	}
	return s
}

// charge is the activity: it stays in flight until a move records the provider's answer and another delivers it.
func (w *world) charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	w.activities++
	if w.flight != "" {
		return contract.ResolveOutput{}, errors.New("two exchanges at once")
	}
	w.flight, w.asked, w.token = in.TransactionID, in.Asked, activity.GetInfo(ctx).TaskToken
	if in.Asked {
		delete(w.checks, in.TransactionID)
	}
	w.log("exchange about " + in.TransactionID)
	return contract.ResolveOutput{}, activity.ErrResultPending
}

// answers are the moves of the provider, and of whatever is between it and the run.
func (w *world) answers() []move {
	switch {
	case w.flight == "":
		return nil
	case w.answer != nil:
		return []move{{"the answer arrives", w.deliver}}
	case w.live == nil || w.live.TransactionID != w.flight:
		return []move{{"nothing new", func() { w.record(payment.Declined) }}, {"time runs out", w.fail}}
	}
	return []move{
		{"success", func() { w.live, w.inReview = nil, false; w.record(payment.Success) }},
		{"undecided", func() {
			w.live.CheckAt, w.live.Sent = w.time().Add(90*time.Minute), true
			w.record(payment.Pending)
		}},
		{"needs review", func() { w.inReview = true; w.record(payment.Pending) }},
		{"time runs out", w.fail},
	}
}

func (w *world) record(status payment.Status) {
	w.end()
	snap := w.snapshot()
	snap.Unfinished = false
	w.answer = &contract.ResolveOutput{Status: status, Snapshot: &snap}
}

func (w *world) deliver() {
	answer, token := w.answer, w.token
	w.flight, w.answer = "", nil
	require.NoError(w.t, w.env.CompleteActivity(token, answer, nil))
}

func (w *world) fail() {
	if w.asked { // the callback is not processed yet
		w.checks[w.flight] = true
	}
	w.flight = ""
	require.NoError(w.t, w.env.CompleteActivity(w.token, nil, errors.New("the provider does not answer")))
}

// hour is one move, or in the end what lets everything come to rest: answers arrive.
func (w *world) hour() {
	if w.busyNow() {
		w.met = w.time()
	}
	w.atRest()
	if w.moves > 0 {
		w.moves--
		options := append(w.signals(), w.answers()...)
		if !w.clock.IsZero() && w.flight == "" && w.live == nil {
			options = append(options, move{"the clock moves", w.moveClock})
		}
		w.move(options)
	} else if options := w.answers(); len(options) > 0 {
		w.log(options[0].name)
		options[0].make()
	}
}

// busyNow reports whether the run is at work, or about to be, at this very instant.
func (w *world) busyNow() bool {
	now := w.time()
	return w.busy.Equal(now) || w.nextAt.Equal(now)
}

// repeat sends what met a run in the instant of its end. A server does not close a run before it has read its signals;
// the test environment does, and forgets them.
func (w *world) repeat(in contract.SubscriptionInput) {
	w.env.RegisterDelayedCallback(func() {
		if w.unread > 0 && !in.Woken {
			w.env.SignalWorkflow(contract.SignalWake, contract.Wake{})
		}
		for txn := range w.checks {
			w.env.SignalWorkflow(contract.SignalCheck, contract.Check{TransactionID: txn})
		}
	}, 0)
}

// moveClock is a step of the test clock's workflow: it performs due work in the database, and wakes.
func (w *world) moveClock() {
	w.clock = w.clock.Add(periodLength)
	w.catchUp(w.time())
	w.signal(contract.SignalWake)
}

// atRest checks what must hold whenever a run waits.
func (w *world) atRest() {
	w.t.Helper()
	if w.busyNow() {
		return // at this very instant the run is still at it
	}
	must := func(holds bool, what string) {
		w.t.Helper()
		require.True(w.t, holds, "%s\n%q\n%+v", what, w.story, w.row)
	}
	now, inFlight := w.time(), w.flight != ""
	must(w.unread == 0, "a change of the row was not read")
	must(len(w.checks) == 0 || inFlight, "a callback was forgotten")
	must(w.activities <= 12, "the run spins")
	w.activities = 0
	asks := w.live != nil && !w.inReview
	must(!asks || inFlight || w.live.CheckAt.After(now), "nobody asks about the attempt under way")
	timers := 0
	if w.clock.IsZero() && !w.nextAt.IsZero() {
		must(!w.nextAt.Before(now), "the boundary has passed")
		timers++
	}
	if asks && !inFlight {
		timers++
	}
	must(len(w.timers) == timers, fmt.Sprintf("%d timers instead of %d", len(w.timers), timers))
	must(!w.finished || w.live != nil || inFlight, "a finished run goes on")
}
