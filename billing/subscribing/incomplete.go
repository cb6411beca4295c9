package subscribing

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// ReasonFirstPaymentExpired is the cancel reason of a subscription whose first invoice was not paid in time.
const ReasonFirstPaymentExpired = "first_payment_expired"

var (
	// ErrIncomplete refuses commands that need a subscription whose first invoice is paid.
	ErrIncomplete = fault.New(fault.Conflict, "subscription_incomplete",
		"The first invoice of the subscription is not paid yet. Pay it, or cancel the subscription.")
	// ErrNotIncomplete refuses the end of a subscription that does not wait for its first payment, or whose time remains.
	ErrNotIncomplete = fault.New(fault.Conflict, "subscription_not_incomplete",
		"The subscription does not wait for its first payment, or its time to pay has not ended.")
)

const (
	// lateEnd is the delay behind the end of the time to pay from which on it counts as an outage.
	lateEnd = 5 * time.Minute
	// answerTime is the time that an attempt has after an outage, in which its answer is asked for.
	answerTime = 15 * time.Minute
)

// ExpireIncomplete ends a subscription whose first invoice was not paid in time. attempted reports that a payment of it
// is in progress: if no worker was there at the end, it may have succeeded in time, so that the end moves until its
// answer is known, by answerTime. A payer who never confirms delays the end no longer than that. Faults:
// subscription_not_incomplete, subscription_canceled.
func (s Situation) ExpireIncomplete(attempted bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, incompleteExpired); err != nil {
		return Decision{}, err
	}
	if now.Before(s.IncompleteUntil) {
		return Decision{}, ErrNotIncomplete
	}
	if attempted && now.Sub(s.IncompleteUntil) > lateEnd {
		s.IncompleteUntil = now.UTC().Truncate(time.Second).Add(answerTime)
		return Decision{Subscription: s.Subscription}, nil
	}
	return s.end(ReasonFirstPaymentExpired, now), nil
}

// withdrawn adds the effects of the end of an Incomplete subscription: nothing is owed for it, and its coupons count as
// unused.
func withdrawn(s subscription.Subscription, d Decision) Decision {
	if s.Status != subscription.Incomplete {
		return d
	}
	d.Withdraw, d.Unused = true, s.Discounts.Counted()
	return d
}
