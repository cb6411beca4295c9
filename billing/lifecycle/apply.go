package lifecycle

import (
	"errors"
	"time"

	"perennial/billing/collection"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// Command is a request of a person or an app for a subscription: Cancel, Reactivate, ChangePlan, WithdrawChange,
// Migrate, EndTrial, MoveAnchor, SetMetadata, SetTerms, SetUsageThresholds, SetPaymentMethod, Pause, Resume, Pay,
// SkipRetry, ResumeCollection, RedeemCoupon, RemoveCoupon, FinalizeInvoice, VoidInvoice, MarkUncollectible, MarkPaid,
// CreditInvoice or RefundInvoice.
type Command interface {
	// Name returns the command's name in the API, in signals and in logs.
	Name() string
	// judge decides without any change. carryOut applies the decision.
	judge(d *Decision) (carryOut func() error, err error)
}

// ErrBehind refuses a command while more is due than one decision performs. It is temporary: the subscription's
// workflow performs the rest.
var ErrBehind = fault.New(fault.Conflict, "subscription_catching_up",
	"The subscription has several overdue periods to process. "+
		"Repeat the request in a few seconds.").After(5 * time.Second)

// Apply performs a command, after all actions that are due by now. It returns a refusal of the rules as their fault,
// and then changes nothing. A refusal while applying the decision is an internal fault: command_broken.
func Apply(s State, cmd Command, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if err := d.CatchUp(); err != nil {
		return State{}, Changes{}, Broken(err)
	}
	if d.behind() {
		return State{}, Changes{}, ErrBehind
	}
	d.Changes.Attempt = "" // attempts of earlier due actions do not count
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

// Broken wraps a refusal by other rules than the command's, so that it is not returned as the command's.
func Broken(err error) error {
	if f := fault.From(err); f != nil && f.Refusal() {
		return fault.New(fault.Internal, "command_broken", "The request failed with a server error.").Because(err)
	}
	return err
}

// ErrNeedsReview matches the refusal of a command because a payment needs review.
var ErrNeedsReview = fault.New(fault.Conflict, "payment_needs_review", "")

// reviewed replaces the advice to retry soon where the blocking payment waits for a person: its payer, or an operator.
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
			return refusal // another payment blocks, and will be decided
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
