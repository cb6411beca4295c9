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

// ExpireIncomplete ends a subscription whose first invoice was not paid in time. Faults: subscription_not_incomplete,
// subscription_canceled.
func (s Situation) ExpireIncomplete(now time.Time) (Decision, error) {
	if err := permit(s.Status, incompleteExpired); err != nil {
		return Decision{}, err
	}
	if now.Before(s.IncompleteUntil) {
		return Decision{}, ErrNotIncomplete
	}
	return s.end(ReasonFirstPaymentExpired, now), nil
}

// withdrawn adds the effects of the end of an Incomplete subscription: nothing is owed for it, and its coupons count as
// unused.
func withdrawn(s subscription.Subscription, d Decision) Decision {
	if s.Status != subscription.Incomplete {
		return d
	}
	d.Withdraw, d.Unused = true, nil
	for _, of := range s.Discounts {
		d.Unused = append(d.Unused, of.CouponID)
	}
	return d
}
