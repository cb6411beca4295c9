package lifecycle

import (
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/payment"
)

// impossible records a request that could not be made at all. A first send that is invalid was never sent: it has failed.
// Anything else (the provider knows our key, or our reference, for something different) may mean that money moved: a
// person must review it. Faults of ours are returned: the caller repeats.
func (r *recording) impossible() error {
	f := r.Impossible
	if f.Retryable() {
		return f
	}
	if r.Move == payment.MoveSend && f.Kind == fault.Invalid {
		r.Answer = payment.Answer{FailureCode: payment.CodeOf(f), FailureReason: f.Detail}
		return r.ended(payment.Failed)
	}
	r.needsReview(f.Code)
	return nil
}

// needsReview leaves a transaction to a person, and announces it once. Of a closed one the provider has said something
// that contradicts its end: its status stays.
func (r *recording) needsReview(reason string) {
	if !r.txn.ParkedAt.IsZero() {
		return
	}
	r.txn = r.txn.Park(r.d.Real)
	more := map[string]any{"reason": reason}
	if r.Answer.Ref != "" {
		more["providerRef"] = r.Answer.Ref
	}
	r.d.emit(r.txn.Event(event.PaymentParked, r.d.Now, more))
	r.d.saveTransaction(r.txn)
}
