package subscribing

import (
	"time"

	"perennial/billing/subscription"
)

// ReasonFirstPaymentFailed is the cancel reason of a subscription whose only attempt of its first payment failed.
const ReasonFirstPaymentFailed = "first_payment_failed"

// AttemptFailed applies a failed attempt of an invoice that has one attempt, or one whose payer has to confirm it: the
// change that waits for it is withdrawn, or its subscription ends. It has no effect on others.
func AttemptFailed(s Situation, invoiceID string, now time.Time) Decision {
	switch {
	case !s.HasOneAttempt(invoiceID):
		return Decision{Subscription: s.Subscription}
	case s.Status == subscription.Incomplete:
		return s.end(ReasonFirstPaymentFailed, now)
	default:
		return withoutPending(s, ReasonChangeNotPaid, now)
	}
}
