package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

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

// Subscription is the life of one subscription: it sleeps until something is due, a signal says that the row changed or a
// payment ends, lets an activity act, and sleeps again. It knows a snapshot of the row, never the rules, and nothing ever
// waits for it: commands are transactions that signal it.
func Subscription(ctx workflow.Context, in contract.SubscriptionInput) error {
	s := &subscriptionRun{ref: in.Ref, snap: in.Snapshot, checks: in.Checks, woken: in.Woken, started: workflow.Now(ctx)}
	s.signals = listen(ctx)
	if s.snap == nil {
		s.woken = true
	}
	for s.failed == nil {
		s.receive()
		switch {
		case s.payment.ready():
			s.collectPayment(ctx)
		case s.woken || s.due(ctx):
			s.advance(ctx)
		case s.over():
			s.show(ctx, "finished")
			return s.failed
		case s.shouldContinueAsNew(ctx):
			return s.continueAsNew(ctx)
		case s.payment.idle() && s.nextCheck(ctx) != "":
			s.startPayment(ctx)
		default:
			s.sleep(ctx)
		}
	}
	return s.failed
}

// subscriptionRun is the state of one run: one small struct with one writer.
type subscriptionRun struct {
	ref      contract.Ref
	snap     *contract.Snapshot
	signals  signals
	woken    bool     // the row changed beside us
	checks   []string // transactions about which a provider's callback is stored
	payment  paymentCall
	boundary alarm // the subscription's own next date
	check    alarm // when to ask a provider again
	started  time.Time
	periods  int // boundaries passed in this run
	shown    shown
	byWake   bool // the last thing done was to act on a signal
	failed   error
}

// now is the subscription's own time: its test clock's, or real.
func (s *subscriptionRun) now(ctx workflow.Context) time.Time {
	if s.onClock() {
		return s.snap.ClockNow
	}
	return workflow.Now(ctx)
}

func (s *subscriptionRun) onClock() bool { return s.snap != nil && !s.snap.ClockNow.IsZero() }

// due reports whether the next date has come. On a test clock the clock's workflow sees to that.
func (s *subscriptionRun) due(ctx workflow.Context) bool {
	if s.snap.Unfinished {
		return true
	}
	return !s.onClock() && s.snap.NextAction != subscription.ActionNone && !s.snap.NextAt.IsZero() &&
		!workflow.Now(ctx).Before(s.snap.NextAt)
}

// advance lets the rules do what is due, and reloads the snapshot.
func (s *subscriptionRun) advance(ctx workflow.Context) {
	summary := "act on what changed"
	if s.snap == nil {
		summary = "load"
	} else if s.due(ctx) {
		summary = dueSummary(s.snap.NextAction)
	}
	s.byWake, s.woken = s.woken, false
	before := s.snap
	in := contract.AdvanceInput{Ref: s.ref, Now: s.now(ctx)}
	snap, err := inDatabase[contract.Snapshot](ctx, summary, contract.ActivityAdvance, in)
	s.learn(&snap, err)
	if err == nil && before != nil && !snap.PeriodEnd.Equal(before.PeriodEnd) {
		s.periods += max(1, snap.Period-before.Period) // one activity may open several, and a change of interval counts anew
	}
}

// dueSummary is what an operator reads beside the activity.
func dueSummary(action subscription.Action) string {
	switch action {
	case subscription.ActionPaymentRetry:
		return "retry the payment"
	case subscription.ActionCancel, subscription.ActionPastDueEnd:
		return "cancel"
	case subscription.ActionBegin, subscription.ActionTrialEnd, subscription.ActionRenewal, subscription.ActionNone:
	}
	return "open the next period"
}

// learn takes a fresh snapshot.
func (s *subscriptionRun) learn(snap *contract.Snapshot, err error) {
	if err != nil {
		s.failed = err
		return
	}
	s.snap = snap
}

// over reports whether the subscription needs its workflow no more. What nobody has read of the signals keeps the server
// from completing the run, which then reads them.
func (s *subscriptionRun) over() bool {
	return s.snap.Finished && s.snap.Live == nil && s.payment.idle() && len(s.checks) == 0
}

// shouldContinueAsNew reports whether the run is long enough and this is a safe point. What the boundary has made due is
// charged first: the payer's money is not to wait for a new run.
func (s *subscriptionRun) shouldContinueAsNew(ctx workflow.Context) bool {
	if !s.payment.idle() {
		return false
	}
	info := workflow.GetInfo(ctx)
	return s.hadItsPeriod(ctx) && !s.liveDue(ctx) || s.periods >= maxCaughtUp ||
		info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsPerRun
}

// hadItsPeriod reports whether the run has lived through what one run is for.
func (s *subscriptionRun) hadItsPeriod(ctx workflow.Context) bool {
	return s.periods > 0 && workflow.Now(ctx).Sub(s.started) >= runAge
}

// continueAsNew hands the state to a new run, after every signal was read.
func (s *subscriptionRun) continueAsNew(ctx workflow.Context) error {
	s.receive()
	return workflow.NewContinueAsNewError(ctx, Subscription, contract.SubscriptionInput{
		Ref: s.ref, Snapshot: s.snap, Checks: s.checks, Woken: s.woken,
	})
}
