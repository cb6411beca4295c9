package payment

import (
	"time"

	"perennial/billing/fault"
)

// RequestCancel marks the charge, so that the next move cancels it. Asked again, it changes nothing. now is real time.
// Faults: refund_not_cancelable, payment_final, payment_needs_review.
func (t Transaction) RequestCancel(now time.Time) (Transaction, error) {
	switch {
	case t.Type != Charge:
		return t, fault.New(
			fault.Conflict, "refund_not_cancelable", "The payment %s is a refund, and cannot be canceled.", t.ID,
		)
	case t.Status != Pending:
		return t, fault.New(fault.Conflict, "payment_final",
			"The payment %s is %s already. To give the money of a successful one back, refund it.", t.ID, t.Status)
	case !t.ParkedAt.IsZero():
		return t, fault.New(fault.Conflict, "payment_needs_review",
			"The outcome of the payment %s at the provider is unknown. Resolve it first.", t.ID)
	case t.CancelRequestedAt.IsZero():
		t.CancelRequestedAt, t.NextCheckAt = now, now
	}
	return t, nil
}
