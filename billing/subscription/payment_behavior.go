package subscription

import (
	"time"

	"perennial/billing/fault"
)

// PaymentBehavior is the treatment of a new subscription whose first invoice is not paid.
type PaymentBehavior string

// The behaviours. Empty is Activate.
const (
	Activate    PaymentBehavior = "activate" // it is active, and past due once the last attempt has failed
	PendPayment PaymentBehavior = "pending"  // it is Incomplete until the invoice is paid, and ends if it is not
)

// TimeToPay is the time that an Incomplete subscription waits for its first payment: shorter than the day for which
// providers keep an idempotency key.
const TimeToPay = 23 * time.Hour

// Check refuses an unknown behaviour: payment_behavior_unknown.
func (b PaymentBehavior) Check() error {
	switch b {
	case "", Activate, PendPayment:
		return nil
	default:
		return fault.InvalidParam("paymentBehavior", "payment_behavior_unknown",
			"`paymentBehavior` cannot be %.40q. Send `%s` or `%s`.", string(b), Activate, PendPayment)
	}
}

// AwaitPayment makes a subscription wait for its first payment from an instant on.
func (s *Subscription) AwaitPayment(from time.Time) {
	s.Status, s.IncompleteUntil = Incomplete, from.UTC().Truncate(time.Second).Add(TimeToPay)
}

// Complete makes an Incomplete subscription active, and leaves any other as it is.
func (s *Subscription) Complete() {
	if s.Status == Incomplete {
		s.Status, s.IncompleteUntil = Active, time.Time{}
	}
}

// NeverPaid reports whether it ended while it was Incomplete: it then owes nothing.
func (s Subscription) NeverPaid() bool { return s.Status == Canceled && !s.IncompleteUntil.IsZero() }
