package recording

import (
	"perennial/billing/answer"
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
			r.d.SaveTransaction(txn)
			return nil
		}
	}
	r.needsReview(f.Code, r.Answer.Ref)
	return nil
}

// needsReview marks a transaction as needing review, and announces it once. The status of a closed one stays: the
// provider's statement contradicts its end. ref is the provider's reference of the operation to review.
func (r *recording) needsReview(reason, ref string) {
	txn, news := r.txn.NeedsReview(reason, ref, r.d.Real)
	if !news {
		return
	}
	r.txn, r.review = txn, reason
	if r.txn.Status == payment.Pending {
		r.txn.FailureReason = "This payment needs review: " + reason + "."
	}
	r.d.Announce(event.PaymentNeedsReview{Payment: r.txn.Announced(), Reason: reason, ProviderRef: ref})
	r.d.SaveTransaction(r.txn)
}

// inVain leaves a transaction to a person after a look-up that decided nothing, where none ever will.
func (r *recording) inVain() {
	if r.Move == payment.MoveLookup && r.Protocol.InVain(r.txn, r.d.Real) {
		r.needsReview(payment.ReviewOutcomeUnknown, "")
	}
}
