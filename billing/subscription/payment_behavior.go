package subscription

import (
	"time"

	"perennial/billing/fault"
)

// PaymentBehavior is the treatment of a new subscription, or a change, whose invoice is not paid.
type PaymentBehavior string

// The behaviours. Empty is Activate.
const (
	Activate    PaymentBehavior = "activate" // it is active, or made, and past due once the last attempt has failed
	PendPayment PaymentBehavior = "pending"  // it waits until the invoice is paid, and ends if it is not
	// AttemptOnce waits for one attempt, and ends as soon as that has failed, or asks the payer to confirm it.
	AttemptOnce PaymentBehavior = "error"
)

// TimeToPay is the time that an Incomplete subscription waits for its first payment, and a change for its own: shorter
// than the day for which providers keep an idempotency key.
const TimeToPay = 23 * time.Hour

// Waits reports whether the behaviour waits for the payment.
func (b PaymentBehavior) Waits() bool { return b == PendPayment || b == AttemptOnce }

// Check refuses an unknown behaviour: payment_behavior_unknown.
func (b PaymentBehavior) Check() error {
	switch b {
	case "", Activate, PendPayment, AttemptOnce:
		return nil
	default:
		return fault.InvalidParam("paymentBehavior", "payment_behavior_unknown",
			"`paymentBehavior` cannot be %.40q. Send `%s`, `%s` or `%s`.", string(b), Activate, PendPayment, AttemptOnce)
	}
}

// AwaitPayment makes a subscription wait for its first payment from an instant on.
func (s *Subscription) AwaitPayment(from time.Time) {
	s.Status, s.IncompleteUntil = Incomplete, from.UTC().Truncate(time.Second).Add(TimeToPay)
}

// Complete makes an Incomplete subscription active, and leaves any other as it is.
func (s *Subscription) Complete() {
	if s.Status == Incomplete {
		s.Status, s.IncompleteUntil, s.AttemptsOnce = Active, time.Time{}, false
	}
}

// NeverPaid reports whether it ended while it was Incomplete: it then owes nothing.
func (s Subscription) NeverPaid() bool { return s.Status == Canceled && !s.IncompleteUntil.IsZero() }

// HasOneAttempt reports whether the first attempt to pay an invoice decides: about the subscription, or about a change.
func (s Subscription) HasOneAttempt(invoiceID string) bool {
	if s.Pays(invoiceID) {
		return s.PendingChange.AttemptsOnce
	}
	return s.Status == Incomplete && s.AttemptsOnce
}
