package payment

import (
	"time"

	"perennial/billing/answer"
	"perennial/billing/fault"
)

// Review has the reason why a payment needs, or needed, a person. It stays after the decision, so that the same message
// about the same operation asks for no second one.
type Review struct {
	Reason string
	Ref    string    // the provider's reference of the reviewed operation; empty: none is known
	At     time.Time // when a person decided, in real time; zero: not yet, or never asked
}

// NeedsReview leaves the transaction to a person: nothing more can be learned without one. It reports whether that is
// new: it is not while it waits for one, nor after a person has decided about the same thing.
func (t Transaction) NeedsReview(reason, ref string, now time.Time) (Transaction, bool) {
	if !t.ParkedAt.IsZero() || t.Reviewed(reason, ref) {
		return t, false
	}
	t = t.Park(now)
	t.Review = Review{Reason: reason, Ref: ref}
	return t, true
}

// Reviewed reports whether a person has decided about this.
func (t Transaction) Reviewed(reason, ref string) bool {
	return !t.Review.At.IsZero() && t.Review.Reason == reason && t.Review.Ref == ref
}

// Decision is the outcome that a person found for a payment in review.
type Decision string

// The decisions.
const (
	DecideSucceeded Decision = "succeeded" // the money moved as asked; it counts
	DecideFailed    Decision = "failed"    // no money moved
	DecideReturned  Decision = "returned"  // money moved, and was given back outside Perennial
)

// Decisions returns all of them.
func Decisions() []Decision { return []Decision{DecideSucceeded, DecideFailed, DecideReturned} }

// The reasons of reviews that the rules below and lifecycle know. Others are the codes of impossible requests.
const (
	ReviewAmountMismatch  = "amount_mismatch"
	ReviewSecondCapture   = "second_capture"
	ReviewRefundedTwice   = "refunded_twice"
	ReviewDisputeCurrency = "dispute_currency"
	// ReviewNotCaptured: the provider denies a capture that is booked as a success.
	ReviewNotCaptured = "not_captured"
	// ReviewOutcomeUnknown: the provider cannot be asked or knows nothing, and no callback of it decided the payment.
	ReviewOutcomeUnknown = "outcome_unknown"
)

// The refusals of Decide.
var (
	ErrNotInReview = fault.New(fault.Conflict, "payment_not_in_review", "The payment does not need review.")
	ErrDecision    = fault.New(fault.Conflict, "decision_impossible", "")
)

// Decide ends the review of a payment. It returns the transaction and the outcome to record as if its provider had
// given it; none ("") where the status stays, as success, canceled and refunded always do. now is real time. Faults:
// payment_not_in_review; decision_impossible, where the books cannot have the state that the person found.
func (t Transaction) Decide(d Decision, now time.Time) (Transaction, answer.Outcome, error) {
	if t.ParkedAt.IsZero() {
		return t, "", ErrNotInReview
	}
	outcome, why := t.decided(d)
	if why != "" {
		return t, "", fault.New(fault.Conflict, ErrDecision.Code, "The %s %s is %s, so it cannot be resolved as %s. %s",
			t.Type, t.ID, t.Status, d, why)
	}
	t.ParkedAt, t.Review.At = time.Time{}, now
	return t, outcome, nil
}

// decided returns the outcome of a decision, and why it is refused; empty: it is not.
func (t Transaction) decided(d Decision) (outcome answer.Outcome, why string) {
	moved := t.Status == Success || t.Status == Refunded
	switch {
	case t.Review.Reason == ReviewSecondCapture && d != DecideReturned:
		return "", "The provider has taken its money twice: give the second capture back there, then resolve it as returned."
	case moved && d == DecideFailed:
		return "",
			"A payment that moved money stays what it is: resolve it as succeeded, or as returned once the extra money is back."
	case moved:
		return "", ""
	case t.Type == Refund && d == DecideReturned:
		return "", "Resolve it as succeeded if the customer has the money, else as failed; then it is owed again."
	case d == DecideSucceeded && t.Type == Refund && t.Status == Canceled:
		return "", "Refund its charge at the provider, which books it, then resolve this one as failed."
	case d == DecideSucceeded:
		return answer.Succeeded, ""
	case t.Status == Pending:
		return answer.Failed, ""
	}
	return "", ""
}

// Finding is the failure reason of an attempt that a person found to have failed.
func (d Decision) Finding() string {
	if d == DecideReturned {
		return "An operator found that the money was returned outside Perennial."
	}
	return "An operator found that no money moved."
}
