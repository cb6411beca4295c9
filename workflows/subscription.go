package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/activities"
	"perennial/billing/subscription"
	"perennial/contract"
)

// Bounds of one run. A run continues as new once a period boundary has passed and it is a minute old, so that a sleeper's
// history stays short and every period may run on new code.
const (
	maxCaughtUp  = 100
	eventsPerRun = 2_000
)

// runAge is a variable only for a test that has no minute to wait.
var runAge = time.Minute

// Subscription is the life of one subscription: it sleeps until something is due, a command comes or a payment ends,
// lets an activity do it, and sleeps again. It knows a snapshot of the row, never the rules.
func Subscription(ctx workflow.Context, in contract.SubscriptionInput) error {
	s := &subscriptionRun{ref: in.Ref, snap: in.Snapshot, checks: in.Checks, woken: in.Woken, started: workflow.Now(ctx)}
	if err := s.listen(ctx); err != nil {
		return err
	}
	if s.snap == nil {
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	for {
		switch {
		case s.payment.ready():
			s.collectPayment(ctx)
		case s.due(ctx):
			s.perform(ctx)
		case len(s.commands) > 0:
			s.command(ctx)
		case s.woken:
			s.wake(ctx)
		case s.over():
			return s.end(ctx)
		case s.shouldContinueAsNew(ctx):
			return s.continueAsNew(ctx)
		case s.payment.idle() && s.nextCheck(ctx) != "":
			s.startPayment(ctx)
		default:
			s.sleep(ctx)
		}
		if s.failed != nil {
			return s.failed
		}
	}
}

// subscriptionRun is the state of one run: one small struct, written by the main loop only. Handlers leave a message and
// wait.
type subscriptionRun struct {
	ref      contract.Ref
	snap     *contract.Snapshot
	commands []*pendingCommand
	ticks    int      // handlers that wait for everything due to be done
	woken    bool     // the row changed beside us
	checks   []string // transactions that a provider sent word about
	payment  paymentCall
	boundary alarm // the subscription's own next date
	check    alarm // when to ask a provider again
	draining bool
	started  time.Time
	periods  int // boundaries passed in this run
	shown    shown
	obeyed   bool // the last thing done was a command
	failed   error
}

// pendingCommand is one command between its handler and the main loop.
type pendingCommand struct {
	command contract.Command
	result  contract.CommandResult
	done    bool
}

// subscriptions names the activities; the worker registers the real ones.
var subscriptions *activities.Subscriptions

// now is the subscription's own time: its test clock's, or real.
func (s *subscriptionRun) now(ctx workflow.Context) time.Time {
	if s.onClock() {
		return s.snap.ClockNow
	}
	return workflow.Now(ctx)
}

func (s *subscriptionRun) onClock() bool { return s.snap != nil && !s.snap.ClockNow.IsZero() }

// due tells whether the next date has come.
func (s *subscriptionRun) due(ctx workflow.Context) bool {
	return s.snap.NextAction != string(subscription.ActionNone) && !s.snap.NextAt.IsZero() && !s.now(ctx).Before(s.snap.NextAt)
}

// perform lets the rules do what is due.
func (s *subscriptionRun) perform(ctx workflow.Context) {
	activity, summary := any(subscriptions.RenewPeriod), "open the next period"
	switch s.snap.NextAction {
	case string(subscription.ActionPaymentRetry):
		activity, summary = subscriptions.RetryPayment, "retry the payment"
	case string(subscription.ActionCancel), string(subscription.ActionPastDueEnd):
		activity, summary = subscriptions.EndSubscription, "cancel"
	}
	s.obeyed = false
	end, period := s.snap.PeriodEnd, s.snap.Period
	in := contract.DueInput{Ref: s.ref, Now: s.now(ctx)}
	snap, err := inDatabase[contract.Snapshot](ctx, summary, activity, in)
	s.learn(&snap, err)
	if err == nil && !snap.PeriodEnd.Equal(end) {
		s.periods += max(1, snap.Period-period) // one activity may open several, and a change of interval counts anew
	}
}

// command performs the oldest command.
func (s *subscriptionRun) command(ctx workflow.Context) {
	c := s.commands[0]
	in := contract.CommandInput{Ref: s.ref, Command: c.command, Now: s.now(ctx)}
	out, err := inDatabase[contract.CommandOutput](ctx, c.command.Name, subscriptions.ApplyCommand, in)
	s.learn(&out.Snapshot, err)
	s.commands = s.commands[1:]
	c.result, c.done, s.obeyed = out.Result, err == nil, true
}

// wake acts on a row that changed beside the workflow.
func (s *subscriptionRun) wake(ctx workflow.Context) {
	s.woken, s.obeyed = false, false
	snap, err := inDatabase[contract.Snapshot](ctx, "act on what changed", subscriptions.ActOnWake,
		contract.DueInput{Ref: s.ref, Now: s.now(ctx)})
	s.learn(&snap, err)
}

func (s *subscriptionRun) load(ctx workflow.Context) error {
	snap, err := inDatabase[contract.Snapshot](ctx, "load", subscriptions.LoadSubscription, s.ref)
	s.learn(&snap, err)
	return err
}

// learn takes a fresh snapshot. The clock never goes back: a tick may be newer than what an activity read.
func (s *subscriptionRun) learn(snap *contract.Snapshot, err error) {
	if err != nil {
		s.failed = err
		return
	}
	if s.snap != nil && snap.ClockNow.Before(s.snap.ClockNow) {
		snap.ClockNow = s.snap.ClockNow
	}
	s.snap = snap
}

// quiet tells that nothing is due, under way or asked for.
func (s *subscriptionRun) quiet(ctx workflow.Context) bool {
	return !s.due(ctx) && s.payment.idle() && s.snap.Live == nil && len(s.commands) == 0 && !s.woken && len(s.checks) == 0
}

// over tells that the subscription needs its workflow no more.
func (s *subscriptionRun) over() bool {
	return s.snap.Finished && s.snap.Live == nil && s.payment.idle() && len(s.checks) == 0
}

// end lets every handler answer before the run completes.
func (s *subscriptionRun) end(ctx workflow.Context) error {
	s.show(ctx, "finished")
	if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) || len(s.commands) > 0 }); err != nil {
		return err
	}
	if len(s.commands) > 0 { // somebody pays what was left open at the last moment
		return s.continueAsNew(ctx)
	}
	return nil
}

// shouldContinueAsNew tells that the run is long enough and this is a safe point. What the boundary has made due is
// charged first: the payer's money is not to wait for a new run.
func (s *subscriptionRun) shouldContinueAsNew(ctx workflow.Context) bool {
	if !s.payment.idle() || s.ticks > 0 {
		return false
	}
	info := workflow.GetInfo(ctx)
	return s.hadItsPeriod(ctx) && !s.liveDue(ctx) || s.periods >= maxCaughtUp ||
		info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsPerRun
}

// hadItsPeriod tells that the run has lived through what one run is for.
func (s *subscriptionRun) hadItsPeriod(ctx workflow.Context) bool {
	return s.periods > 0 && workflow.Now(ctx).Sub(s.started) >= runAge
}

// continueAsNew hands the state to a new run, after every handler has answered and every signal was read. A command
// that slipped in before draining is performed first.
func (s *subscriptionRun) continueAsNew(ctx workflow.Context) error {
	s.draining = true
	for {
		if err := workflow.Await(ctx, func() bool { return len(s.commands) > 0 || workflow.AllHandlersFinished(ctx) }); err != nil {
			return err
		}
		if len(s.commands) == 0 {
			break
		}
		if s.command(ctx); s.failed != nil {
			return s.failed
		}
	}
	s.drainSignals(ctx)
	return workflow.NewContinueAsNewError(ctx, Subscription, contract.SubscriptionInput{
		Ref: s.ref, Snapshot: s.snap, Checks: s.checks, Woken: s.woken,
	})
}

var errDraining = temporal.NewApplicationErrorWithOptions("the run is about to continue as new; repeat", contract.ErrorDraining,
	temporal.ApplicationErrorOptions{NonRetryable: true, Category: temporal.ApplicationErrorCategoryBenign})
