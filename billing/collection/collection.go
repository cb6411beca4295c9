// Package collection owns how one invoice is collected: a pure state machine of results, timers and commands. The
// subscription workflow and the standalone payment workflow share it. It does not own amounts (invoice), provider calls
// (providers) nor the effect of an unpaid invoice on the subscription (subscribing).
package collection

import "time"

//go:generate go test . -run ^TestStatesDocument$ -count=1 -update

// Phase is the phase of an invoice's collection.
type Phase string

// The phases.
const (
	Waiting   Phase = "waiting"   // open; an older invoice of the subscription is collected first
	Charging  Phase = "charging"  // an attempt is live: its call is in flight or the provider has not decided
	Scheduled Phase = "scheduled" // the next automatic attempt starts at RetryAt
	Exhausted Phase = "exhausted" // no automatic attempt is left; a command or a new payment method can go on
	Settled   Phase = "settled"   // paid: final
	Closed    Phase = "closed"    // void or canceled: nothing automatic; a command may still pay an open one
)

// Trigger says what asked for an attempt. Only automatic attempts count towards the retry schedule.
type Trigger string

// The triggers.
const (
	Automatic Trigger = "automatic"
	Manual    Trigger = "manual" // a command, or a new payment method
)

// State is all the machine remembers; it is stored with the invoice.
type State struct {
	Phase     Phase
	Automatic int       // automatic attempts started so far
	Attempts  int       // all attempts started so far
	Skipped   int       // retries that commands have skipped
	RetryAt   time.Time // next automatic attempt; kept while a manual attempt runs in between
	Trigger   Trigger   // of the live attempt, while Charging
}

// retries returns the number of the schedule's retries that are used up when a further one is due.
func (s State) retries() int { return s.Automatic + s.Skipped }

// Turn returns which of the payment methods an attempt uses, as an index in their order: manual attempts the first, and
// automatic ones each in turn, so that a retry never asks the method that has just failed where there is another one.
// A skipped retry has had its turn. s is the state after the attempt was started.
func (s State) Turn(methods int) int {
	if s.Trigger != Automatic || methods < 2 {
		return 0
	}
	return (s.retries() - 1) % methods
}
