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

// needsReview leaves an open transaction to a person, and announces it once.
func (r *recording) needsReview(reason string) {
	if r.txn.Status != payment.Pending || !r.txn.ParkedAt.IsZero() {
		return
	}
	r.txn = r.txn.Park(r.d.Real)
	r.d.emit(r.txn.Event(event.PaymentParked, r.d.Now, map[string]any{"reason": reason}))
	r.d.saveTransaction(r.txn)
}
