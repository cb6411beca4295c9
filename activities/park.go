package activities

import (
	"strings"

	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/providers"
)

// impossible records a request that could not be made at all. A first send that is invalid was never sent: it has failed.
// Anything else (the provider knows our key, or our reference, for something different) may mean that money moved: it is
// left to a person.
func (r *recording) impossible(cause error) error {
	f := fault.From(cause)
	if f.Retryable() {
		return cause
	}
	if r.move == payment.MoveSend && f.Kind == fault.Invalid {
		return r.ended(payment.Failed, providers.Result{FailureCode: blame(f), FailureReason: f.Detail})
	}
	return r.park(f.Code)
}

// needsReview replaces the advice to ask again soon where the payment in the way waits for a person.
func (c *change) needsReview(f *fault.Error) *fault.Error {
	if f.Code != collection.ErrInProgress.Code || c.b.Live == nil || c.b.Live.ParkedAt.IsZero() {
		return f
	}
	return fault.New(fault.Conflict, "payment_needs_review",
		"Payment %s needs review: it is not certain what became of the money. An operator must look it up at the provider; "+
			"nothing else can be paid or changed until then.", c.b.Live.ID)
}

// blame tells a payment method that the provider cannot charge, which the customer mends with another one, from all else.
func blame(f *fault.Error) providers.FailureCode {
	if strings.HasPrefix(f.Code, providers.MethodFault) {
		return providers.InvalidAccount
	}
	return providers.DeclinedCode
}

// park leaves an open transaction to a person, and says so once.
func (r *recording) park(reason string) error {
	if r.txn.Status != payment.Pending || !r.txn.ParkedAt.IsZero() {
		return nil
	}
	r.txn, r.parked = r.txn.Park(r.real), reason
	r.txn.FailureReason = "this payment needs review: " + reason
	if err := r.emit(r.txn.Event(event.PaymentParked, r.now, map[string]any{"reason": reason})); err != nil {
		return err
	}
	return r.keep()
}
