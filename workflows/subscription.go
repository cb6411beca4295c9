package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
)

// Bounds of one run. A run continues as new once a period boundary has passed and it is a minute old, so that a
// sleeper's history stays short and every period may run on new code.
const (
	maxCaughtUp  = 100
	eventsPerRun = 2_000
)

// standstill is the pause before a run repeats an activity that changed nothing although something was due. A fault in
// the rules then costs one activity a minute, and the run never spins.
const standstill = time.Minute

// runAge is a variable only for a test that has no minute to wait.
var runAge = time.Minute

// Subscription is the life of one subscription: it sleeps until something is due, a signal says that the row changed or
// a payment ends, lets an activity act, and sleeps again. It knows a snapshot of the row, never the rules, and nothing
// ever waits for it: commands are transactions that signal it.
func Subscription(ctx workflow.Context, in contract.SubscriptionInput) error {
	s := &subscriptionRun{ref: in.Ref, snap: in.Snapshot, checks: in.Checks, woken: in.Woken, started: workflow.Now(ctx)}
	s.signals = listen(ctx)
	if s.snap == nil {
		s.woken = true
	}
	for s.failed == nil {
		s.receive()
		switch {
		case s.absent():
			return s.showAbsent(ctx)
		case s.payment.ready():
			s.collectPayment(ctx)
		case s.usage.ready():
			s.collectUsage(ctx)
		case s.tooLong(ctx):
			return s.continueAsNew(ctx)
		case !s.woken && s.usageDue(ctx):
			s.startUsage(ctx)
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
	woken    bool     // the row was changed by another transaction
	checks   []string // transactions about which a provider's callback is stored
	payment  paymentCall
	usage    usageCall
	boundary alarm // the subscription's own next date
	check    alarm // when to ask a provider again
	// Due work, or a look-up, is not repeated before then: the last activity for it changed nothing.
	dueRests, checkRests time.Time
	started              time.Time
	periods              int // boundaries passed in this run
	shown                shown
	byWake               bool // the last thing done was to act on a signal
	failed               error
}

// now is the subscription's own time: its test clock's, or real.
func (s *subscriptionRun) now(ctx workflow.Context) time.Time {
	if s.onClock() {
		return s.snap.ClockNow
	}
	return workflow.Now(ctx)
}

func (s *subscriptionRun) onClock() bool { return s.snap != nil && !s.snap.ClockNow.IsZero() }

// due reports whether there is something for an advance to do now. The rating of usage is apart: see usageDue.
func (s *subscriptionRun) due(ctx workflow.Context) bool { return passed(ctx, s.dueAt()) }

// passed reports whether a time has come; a zero one never does.
func passed(ctx workflow.Context, at time.Time) bool {
	return !at.IsZero() && !workflow.Now(ctx).Before(at)
}

// dueAt returns the real time at which the next advance is due; zero: never. While usage is rated, or waits to be, that
// is the time of BesideAction.
func (s *subscriptionRun) dueAt() time.Time {
	action, at := s.snap.NextAction, s.snap.NextAt
	if s.ratesUsage() {
		action, at = s.snap.BesideAction, s.snap.BesideAt
	}
	if s.snap.Unfinished {
		return later(s.started, s.dueRests)
	}
	return s.realTime(action, at, s.dueRests)
}

// realTime returns the real time at which an action is due; zero: never. On a test clock the clock's workflow performs
// the work that a move makes due. Work that is due without a move is performed here at once: the begin of a new
// subscription, and work left over from an activity.
func (s *subscriptionRun) realTime(action subscription.Action, at, rests time.Time) time.Time {
	switch {
	case action == "", action == subscription.ActionNone, at.IsZero(), s.onClock() && at.After(s.snap.ClockNow):
		return time.Time{}
	case s.onClock():
		return later(s.started, rests)
	}
	return later(at, rests)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// advance lets the rules perform due work, and reloads the snapshot.
func (s *subscriptionRun) advance(ctx workflow.Context) {
	summary, wasDue := "act on what changed", s.snap != nil && s.due(ctx)
	if s.snap == nil {
		summary = "load"
	} else if wasDue {
		summary = dueSummary(s.dueAction())
	}
	s.byWake, s.woken = s.woken && s.snap != nil, false
	s.payment.overtaken, s.usage.overtaken = true, true
	in := contract.AdvanceInput{Ref: s.ref, Now: s.now(ctx)}
	snap, err := inDatabase[contract.Snapshot](ctx, summary, contract.ActivityAdvance, in)
	if err != nil {
		s.failed = err
		return
	}
	if !s.learn(&snap) && wasDue {
		s.dueRests = workflow.Now(ctx).Add(standstill)
	}
}

// dueAction returns the action that the next advance performs.
func (s *subscriptionRun) dueAction() subscription.Action {
	if s.ratesUsage() {
		return s.snap.BesideAction
	}
	return s.snap.NextAction
}

// dueSummary returns the activity's summary for operators.
func dueSummary(action subscription.Action) string {
	switch action {
	case subscription.ActionPaymentRetry:
		return "retry the payment"
	case subscription.ActionCancel, subscription.ActionPastDueEnd, subscription.ActionIncompleteEnd:
		return "cancel"
	case subscription.ActionInvoiceOverdue:
		return "announce that an invoice is overdue"
	case subscription.ActionFinalize:
		return "finalize the invoice"
	case subscription.ActionTrialNotice:
		return "announce the end of the trial"
	case subscription.ActionRenewalReminder:
		return "announce the renewal"
	case subscription.ActionResume:
		return "resume"
	case subscription.ActionScheduledChange:
		return "make the scheduled change"
	case subscription.ActionPendingChangeEnd:
		return "withdraw the change that was not paid"
	case subscription.ActionBillUsage:
		return "bill the usage"
	case subscription.ActionBegin, subscription.ActionTrialEnd, subscription.ActionRenewal, subscription.ActionNone:
	}
	return "open the next period"
}

// learn takes a fresh snapshot and reports whether it says anything new.
func (s *subscriptionRun) learn(snap *contract.Snapshot) (news bool) {
	before := s.snap
	s.snap = snap
	if before == nil {
		return true
	}
	if same(*before, *snap) {
		return false
	}
	s.dueRests, s.checkRests, s.usage.rests = time.Time{}, time.Time{}, time.Time{}
	if !snap.PeriodEnd.Equal(before.PeriodEnd) {
		s.periods += max(1, snap.Period-before.Period) // one activity may open several, and a change of interval counts anew
	}
	return true
}

// same compares by hand: workflowcheck does not let reflection pass.
func same(a, b contract.Snapshot) bool {
	if (a.Live == nil) != (b.Live == nil) || a.Live != nil && *a.Live != *b.Live {
		return false
	}
	a.Live, b.Live = nil, nil
	return a == b
}

// over reports whether the subscription does not need its workflow any more. Unread signals keep the server from
// completing the run, which then reads them.
func (s *subscriptionRun) over() bool {
	return s.snap.Finished && s.snap.Live == nil && s.payment.idle() && s.usage.idle() && len(s.checks) == 0
}

// absent reports whether a restore of the database has lost the subscription. An exchange in flight finds nothing to
// record, and is abandoned. A signal makes the run look again.
func (s *subscriptionRun) absent() bool { return s.snap != nil && s.snap.Absent && !s.woken }

// shouldContinueAsNew reports whether the run is long enough and this is a safe point. A charge of the boundary comes
// first: the payer's money must not wait for a new run.
func (s *subscriptionRun) shouldContinueAsNew(ctx workflow.Context) bool {
	if !s.payment.idle() || !s.usage.idle() {
		return false
	}
	return s.hadItsPeriod(ctx) && !s.liveDue(ctx) || s.periods >= maxCaughtUp
}

// tooLong reports whether the history must end now, even if more is due: the next run continues.
func (s *subscriptionRun) tooLong(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	idle := s.payment.idle() && s.usage.idle()
	return idle && (info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsPerRun)
}

// hadItsPeriod reports whether the run has lasted for its period.
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
