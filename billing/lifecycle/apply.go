package lifecycle

import (
	"time"

	"perennial/billing/fault"
)

// Command is one thing that a person or an app asks of a subscription: Cancel, Reactivate, ChangePlan, WithdrawChange,
// Migrate, EndTrial, MoveAnchor, SetMetadata, SetTerms, Pause, Resume, Pay, SkipRetry, ResumeCollection, RedeemCoupon,
// RemoveCoupon, FinalizeInvoice, VoidInvoice, MarkUncollectible, MarkPaid or CreditInvoice.
type Command interface {
	// Name is the command's name in the API, in signals and in logs.
	Name() string
	// judge asks the rules and changes nothing. What it returns makes their decision true.
	judge(d *decision) (carryOut func() error, err error)
}

// ErrBehind refuses a command while more is due than one decision does.
// It passes: the subscription's workflow works on it.
var ErrBehind = fault.New(fault.Conflict, "subscription_catching_up",
	"The subscription has several overdue periods to process. "+
		"Repeat the request in a few seconds.").After(5 * time.Second)

// Apply performs a command, after all that is due by now. A refusal of the rules is returned as their fault, and
// nothing changes. A refusal half-way through the work is a fault of ours: command_broken.
func Apply(s State, cmd Command, at Moment) (State, Changes, error) {
	d := begin(s, at)
	if err := d.catchUp(); err != nil {
		return State{}, Changes{}, Broken(err)
	}
	if d.behind() {
		return State{}, Changes{}, ErrBehind
	}
	d.Changes.Attempt = "" // of the command, not of what was due before it
	carryOut, err := cmd.judge(d)
	if err != nil {
		return State{}, Changes{}, d.reviewed(err)
	}
	if err := carryOut(); err != nil {
		return State{}, Changes{}, Broken(err)
	}
	state, changes, err := d.finish()
	return state, changes, Broken(err)
}

// Broken keeps what looks like a refusal, but is none of the command, from being answered as one.
func Broken(err error) error {
	if f := fault.From(err); f != nil && f.Refusal() {
		return fault.New(fault.Internal, "command_broken", "The request failed with a server error.").Because(err)
	}
	return err
}
