package lifecycle

import (
	"errors"
	"time"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// impossible records a request that could not be made at all. A first send that is invalid was never sent: it has
// failed. Where the provider knows our key for something different, a look-up may tell what moved. Anything else may
// mean that money moved too: a person must review it. Faults of ours are returned: the caller repeats.
func (r *recording) impossible() error {
	f := r.Impossible
	if f.Retryable() {
		return f
	}
	if r.Move == payment.MoveSend && f.Kind == fault.Invalid {
		r.Answer = answer.Answer{FailureCode: payment.CodeOf(f), FailureReason: f.Detail}
		return r.ended(payment.Failed)
	}
	if f.Code == payment.CodeKeyReused {
		if txn, ok := r.Protocol.KeyReused(r.txn, r.d.Real); ok {
			txn.FailureReason = "The provider knows this payment from an earlier request. Its outcome is being looked up."
			r.txn, r.waits = txn, true
			r.d.saveTransaction(txn)
			return nil
		}
	}
	r.needsReview(f.Code, r.Answer.Ref)
	return nil
}

// needsReview leaves a transaction to a person, and announces it once. Of a closed one the provider has said something
// that contradicts its end: its status stays. ref is the provider's reference of what is to be reviewed.
func (r *recording) needsReview(reason, ref string) {
	txn, news := r.txn.NeedsReview(reason, ref, r.d.Real)
	if !news {
		return
	}
	r.txn, r.review = txn, reason
	if r.txn.Status == payment.Pending {
		r.txn.FailureReason = "This payment needs review: " + reason + "."
	}
	r.d.announce(event.PaymentNeedsReview{Payment: r.txn.Announced(), Reason: reason, ProviderRef: ref})
	r.d.saveTransaction(r.txn)
}

// inVain leaves a transaction to a person after a look-up that decided nothing, where none ever will.
func (r *recording) inVain() {
	if r.Move == payment.MoveLookup && r.Protocol.InVain(r.txn, r.d.Real) {
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	}
}

// ErrNeedsReview matches the refusal of a command behind a payment that a person must review.
var ErrNeedsReview = fault.New(fault.Conflict, "payment_needs_review", "")

// reviewed replaces the advice to ask again soon where the payment in the way waits for a person: its payer, or an
// operator.
func (d *decision) reviewed(refusal error) error {
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
