// Package access owns whether a customer may use the product now, why, and until when. It does not own what an app does
// about it.
package access

import (
	"slices"
	"time"

	"perennial/billing/subscription"
)

// Reason says why a customer may use the product, or may not.
type Reason string

// The reasons. The first three allow it.
const (
	Paid     Reason = "paid"             // the time is paid, or free
	Trial    Reason = "trial"            // the trial goes on
	Retrying Reason = "payment_retrying" // paid before, and the payment of the present period is tried again

	Unpaid         Reason = "first_payment_pending" // nothing was paid yet
	PastDue        Reason = "past_due"              // the last attempt failed
	Canceled       Reason = "canceled"
	NoSubscription Reason = "no_subscription"
)

// Answer is about one subscription, or none.
type Answer struct {
	Allowed bool
	Reason  Reason
	// Until is when the answer may change by itself at the earliest; the zero time: not by itself, or nobody knows when.
	Until          time.Time
	SubscriptionID string
	PlanID         string
}

// Of says whether a subscription lets its customer in. A trial and paid time let in until they are over; work that is
// late locks nobody out. Whoever has paid before is let in while a renewal is tried again, until it is past due; whoever
// has never paid is not. A subscription that was canceled at once lets nobody in, also where time was paid.
func Of(s subscription.Subscription, now time.Time) Answer {
	a := Answer{SubscriptionID: s.ID, PlanID: s.PlanID}
	switch {
	case s.Status == subscription.Canceled:
		a.Reason = Canceled
	case s.Status == subscription.Trialing:
		a.Allowed, a.Reason, a.Until = true, Trial, s.TrialEndsAt
	case s.PaidThrough.After(now):
		a.Allowed, a.Reason, a.Until = true, Paid, s.PaidThrough
	case s.Status == subscription.PastDue:
		a.Reason = PastDue
	case s.ActivatedAt.IsZero():
		a.Reason = Unpaid
	default:
		a.Allowed, a.Reason = true, Retrying
		if s.NextAction == subscription.ActionPaymentRetry {
			a.Until = s.NextActionAt
		}
	}
	return a
}

// rank orders reasons: what lets in first, and of what does not, what a customer can do something about.
var rank = []Reason{Paid, Trial, Retrying, PastDue, Unpaid, Canceled, NoSubscription}

// Best is what counts of several subscriptions: one that lets in; of those the strongest reason, and of equal ones the
// one that holds longest. None of any is NoSubscription.
func Best(all []Answer) Answer {
	if len(all) == 0 {
		return Answer{Reason: NoSubscription}
	}
	return slices.MinFunc(all, func(a, b Answer) int {
		if by := slices.Index(rank, a.Reason) - slices.Index(rank, b.Reason); by != 0 {
			return by
		}
		return b.Until.Compare(a.Until)
	})
}
