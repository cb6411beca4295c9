package collection

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/retry"
)

// Kind names what happened to an invoice's collection.
type Kind string

// The inputs: two timers, four commands, what became of an attempt, and a new payment method.
const (
	Begin            Kind = "begin"             // the invoice's turn has come
	RetryDue         Kind = "retry_due"         // the time RetryAt has passed
	Pay              Kind = "pay"               // a command asks for an attempt now
	MethodChanged    Kind = "method_changed"    // the customer has another payment method
	AttemptSucceeded Kind = "attempt_succeeded" // any attempt of the invoice, live or superseded
	AttemptFailed    Kind = "attempt_failed"    // the live attempt
	AttemptCanceled  Kind = "attempt_canceled"  // the provider confirms that the live attempt will not capture
	SkipRetry        Kind = "skip_retry"        // a command asks for the next retry not to happen
	Stop             Kind = "stop"              // the subscription was canceled
	Void             Kind = "void"              // the invoice is withdrawn
)

// Input is one thing that happened. Now is the subscription's own time, Location where its calendar is; Boundary is the
// end of its current period, which a retry's jitter never crosses; Seed spreads retries (empty: no jitter, as on a test
// clock); Code is the failure code of an attempt that failed.
type Input struct {
	Kind     Kind
	Now      time.Time
	Location *time.Location
	Boundary time.Time
	Seed     string
	Code     string
}

// Terms are the circumstances that the machine does not own.
type Terms struct {
	Retry   retry.Policy
	NoRetry bool // the subscription is past due: a failed attempt schedules nothing
	Paused  bool // its collection is paused: nothing but a command starts an attempt
	Stopped bool // the subscription is canceled: nothing automatic happens any more
	Voided  bool // the invoice is void: money that still arrives goes back
	// Methods is the number of payment methods among which retries take turns; 0 and 1: there is no other one.
	Methods int
}

// over: nothing automatic happens to the invoice any more.
func (t Terms) over() bool { return t.Stopped || t.Voided }

// idle: nothing automatic happens to the invoice now.
func (t Terms) idle() bool { return t.over() || t.Paused }

// Effect is the caller's task in the same transaction.
type Effect string

// The effects.
const (
	None          Effect = "none"
	StartAttempt  Effect = "start_attempt"  // create the next attempt; State.Trigger says on whose behalf
	Settle        Effect = "settle"         // the invoice is paid
	Exhaust       Effect = "exhaust"        // the last automatic attempt failed
	RefundExtra   Effect = "refund_extra"   // this success does not count: give the money back
	CancelAttempt Effect = "cancel_attempt" // ask the provider to cancel the live attempt
)

// PaymentTakes is the time after which asking again is worth it: most providers have answered by then.
const PaymentTakes = 5 * time.Second

// The refusals.
var (
	ErrInProgress = fault.New(fault.Conflict, "payment_in_progress",
		"A payment of this invoice is in progress. Wait until it has succeeded or failed.").After(PaymentTakes)
	ErrPaid = fault.New(fault.Conflict, "invoice_paid", "The invoice is already paid. Nothing more is due.")
	ErrVoid = fault.New(fault.Conflict, "invoice_void",
		"The invoice is void and cannot be paid. Pay the invoice that replaced it.")
	ErrNotItsTurn = fault.New(fault.Conflict, "older_invoice_open",
		"The subscription has an older open invoice. Pay that invoice first.")
	ErrNoRetry = fault.New(fault.Conflict, "retry_not_scheduled",
		"No automatic retry of this invoice is scheduled, so there is none to skip.")
)

// Next returns the state after an input, and the effect. Occurrences (timers, results, a new method) that no longer
// apply change nothing; commands (Pay, SkipRetry, Void) that cannot be done are refused with payment_in_progress,
// invoice_paid, invoice_void, older_invoice_open or retry_not_scheduled, and change nothing either.
func Next(s State, in Input, terms Terms) (State, Effect, error) {
	switch in.Kind {
	case Begin:
		return s.begin(terms)
	case RetryDue:
		if s.Phase == Scheduled && !terms.idle() && !in.Now.Before(s.RetryAt) {
			return s.attempt(Automatic), StartAttempt, nil
		}
	case MethodChanged:
		if (s.Phase == Scheduled || s.Phase == Exhausted) && !terms.idle() {
			return s.attempt(Manual), StartAttempt, nil
		}
	case Pay:
		return s.pay(terms)
	case AttemptSucceeded:
		if s.Phase == Settled || terms.Voided {
			return s, RefundExtra, nil
		}
		return s.Settled(), Settle, nil
	case AttemptFailed, AttemptCanceled:
		if s.Phase == Charging {
			return s.failed(in, terms)
		}
	case SkipRetry:
		return s.skip(in, terms)
	case Stop:
		return s.stop()
	case Void:
		return s.void(terms)
	}
	return s, None, nil
}

// begin begins the collection when the invoice's turn has come.
func (s State) begin(terms Terms) (State, Effect, error) {
	switch {
	case s.Phase != Waiting || terms.over():
		return s, None, nil
	case terms.Paused: // it is the one that waits for a command now
		s.Phase = Exhausted
		return s, None, nil
	}
	return s.attempt(Automatic), StartAttempt, nil
}

// Settled is the final state of an invoice that is paid: nothing is scheduled any more.
func (s State) Settled() State {
	return State{Phase: Settled, Automatic: s.Automatic, Attempts: s.Attempts, Skipped: s.Skipped}
}

// attempt starts one. An automatic attempt uses up the scheduled time; a manual one keeps it, so that a failed manual
// attempt changes nothing about the schedule.
func (s State) attempt(t Trigger) State {
	s.Phase, s.Trigger = Charging, t
	s.Attempts++
	if t == Automatic {
		s.Automatic++
		s.RetryAt = time.Time{}
	}
	return s
}

// collectable refuses a command about the next attempt where there is none to come, or one is under way.
func (s State) collectable(terms Terms) error {
	switch {
	case terms.Voided:
		return ErrVoid
	case s.Phase == Settled:
		return ErrPaid
	case s.Phase == Charging:
		return ErrInProgress
	}
	return nil
}

func (s State) pay(terms Terms) (State, Effect, error) {
	if err := s.collectable(terms); err != nil {
		return s, None, err
	}
	if s.Phase == Waiting {
		return s, None, ErrNotItsTurn
	}
	return s.attempt(Manual), StartAttempt, nil
}

// failed decides the consequences of an attempt that moved no money. A manual one does not change the schedule.
func (s State) failed(in Input, terms Terms) (State, Effect, error) {
	automatic := s.Trigger == Automatic
	s.Trigger = ""
	switch {
	case terms.over():
		s.Phase, s.RetryAt = Closed, time.Time{}
		return s, None, nil
	case !automatic && !s.RetryAt.IsZero():
		s.Phase = Scheduled
		return s, None, nil
	case automatic:
		return s.schedule(in.failure(in.Now), in, terms)
	}
	s.Phase, s.RetryAt = Exhausted, time.Time{}
	return s, None, nil
}

// schedule decides between a next retry and none, by those used so far and by what went before.
func (s State) schedule(before retry.Failure, in Input, terms Terms) (State, Effect, error) {
	if terms.Methods > 1 { // the code is about the method that failed, and the next one is another
		before.Code = ""
	}
	if n := s.retries(); !terms.NoRetry && terms.Retry.Allows(n, before.Code) {
		s.Phase, s.RetryAt = Scheduled, terms.Retry.At(before, n, in.Seed)
		return s, None, nil
	}
	s.Phase, s.RetryAt = Exhausted, time.Time{}
	return s, Exhaust, nil
}

// failure returns the failure from which a retry is counted.
func (in Input) failure(at time.Time) retry.Failure {
	return retry.Failure{Code: in.Code, At: at, Location: in.Location, Boundary: in.Boundary}
}

// skip uses up the next retry as if it had failed at its time: the one after it keeps its distance, and after the last
// there is none. The failure code of the last attempt does not apply to one that is not made, so no code counts here.
func (s State) skip(in Input, terms Terms) (State, Effect, error) {
	if err := s.collectable(terms); err != nil {
		return s, None, err
	}
	if s.Phase != Scheduled || terms.Stopped {
		return s, None, ErrNoRetry
	}
	s.Skipped++
	return s.schedule(in.failure(s.RetryAt), in, terms)
}

func (s State) stop() (State, Effect, error) {
	switch s.Phase {
	case Charging:
		s.RetryAt = time.Time{}
		return s, CancelAttempt, nil
	case Settled:
		return s, None, nil
	default:
		s.Phase, s.RetryAt = Closed, time.Time{}
		return s, None, nil
	}
}

func (s State) void(terms Terms) (State, Effect, error) {
	switch {
	case terms.Voided: // once: withdrawing gives credit back
		return s, None, ErrVoid
	case s.Phase == Settled:
		return s, None, ErrPaid
	case s.Phase == Charging && !terms.Stopped:
		return s, None, ErrInProgress
	}
	effect := None
	if s.Phase == Charging { // an attempt after the end is not awaited: what it still captures is refunded
		effect = CancelAttempt
	}
	s.Phase, s.RetryAt, s.Trigger = Closed, time.Time{}, ""
	return s, effect, nil
}
