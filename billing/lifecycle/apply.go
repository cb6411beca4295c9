package lifecycle

import (
	"errors"
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// Command is one thing that a person or an app asks of a subscription: Cancel, Reactivate, ChangePlan, WithdrawChange,
// Migrate, EndTrial, MoveAnchor, SetMetadata, SetTerms, SetUsageThresholds, Pause, Resume, Pay, SkipRetry,
// ResumeCollection, RedeemCoupon, RemoveCoupon, FinalizeInvoice, VoidInvoice, MarkUncollectible, MarkPaid or
// CreditInvoice.
type Command interface {
	// Name is the command's name in the API, in signals and in logs.
	Name() string
	// judge asks the rules and changes nothing. What it returns makes their decision true.
	judge(d *Decision) (carryOut func() error, err error)
}

// ErrBehind refuses a command while more is due than one decision does.
// It passes: the subscription's workflow works on it.
var ErrBehind = fault.New(fault.Conflict, "subscription_catching_up",
	"The subscription has several overdue periods to process. "+
		"Repeat the request in a few seconds.").After(5 * time.Second)

// Apply performs a command, after all that is due by now. A refusal of the rules is returned as their fault, and
// nothing changes. A refusal half-way through the work is a fault of ours: command_broken.
func Apply(s State, cmd Command, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if err := d.CatchUp(); err != nil {
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
	state, changes, err := d.Finish()
	return state, changes, Broken(err)
}

// Broken keeps what looks like a refusal, but is none of the command, from being answered as one.
func Broken(err error) error {
	if f := fault.From(err); f != nil && f.Refusal() {
		return fault.New(fault.Internal, "command_broken", "The request failed with a server error.").Because(err)
	}
	return err
}

// ErrNeedsReview matches the refusal of a command behind a payment that a person must review.
var ErrNeedsReview = fault.New(fault.Conflict, "payment_needs_review", "")

// reviewed replaces the advice to ask again soon where the payment in the way waits for a person: its payer, or an
// operator.
func (d *Decision) reviewed(refusal error) error {
	if !errors.Is(refusal, collection.ErrInProgress) {
		return refusal
	}
	var parked, asked payment.Transaction
	for _, t := range d.Pending {
		switch {
		case !t.ParkedAt.IsZero():
			parked = t
		case t.Confirmation(d.Real) == payment.ConfirmNow:
			asked = t
		default:
			return refusal // another one is in the way, and will be decided
		}
	}
	switch {
	case asked.ID != "":
		return fault.New(fault.Conflict, collection.ErrInProgress.Code,
			"Payment %s waits for its payer to confirm it, until %s at the latest. Wait for its end, or cancel it first.",
			asked.ID, asked.Action.ExpiresAt.UTC().Format(time.RFC3339)).After(asked.Action.ExpiresAt.Sub(d.Real))
	case parked.ID != "":
		return fault.New(fault.Conflict, ErrNeedsReview.Code,
			"Payment %s needs review: its outcome at the provider is unknown. Until an operator resolves it, nothing else can "+
				"be paid or changed, unless its invoice is voided or marked uncollectible.", parked.ID)
	}
	return refusal
}
