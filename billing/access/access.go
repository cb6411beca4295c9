// Package access owns whether a customer may use the product now, why, and until when. The app decides what follows
// from it.
package access

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/subscription"
)

// Reason is why a customer may use the product, or may not.
type Reason string

// The reasons. Those of the first group allow the use.
const (
	Paid    Reason = "paid"            // the time is paid, or costs nothing
	Trial   Reason = "trial"           // the trial has not ended
	Pending Reason = "payment_pending" // paid before, and the payment of the present period is undecided
	// Retrying: paid before; a payment has failed and is retried.
	Retrying Reason = "payment_retrying"

	// Overdue: a subscription would allow it, and the overdue policy denies it for what the customer owes elsewhere.
	Overdue        Reason = "customer_overdue"
	Unpaid         Reason = "first_payment_pending" // no payment yet
	PastDue        Reason = "past_due"              // the last attempt failed
	Paused         Reason = "paused"                // until it resumes
	Canceled       Reason = "canceled"
	NoSubscription Reason = "no_subscription"

	// NotIncluded: the customer may use the product, but none of their plans and add-ons has the requested feature.
	NotIncluded Reason = "feature_not_included"
	// LimitReached: they have the feature, and have used it up to the limit, which begins again later.
	LimitReached Reason = "feature_limit_reached"
)

// Claim is a subscription with the state of its invoice in collection; nil: it has none.
type Claim struct {
	subscription.Subscription
	Collecting *collection.State
}

// Answer is about one subscription, or none.
type Answer struct {
	Allowed bool
	Reason  Reason
	// Until is the earliest time of an automatic change of the answer; the zero time: none is planned.
	Until          time.Time
	SubscriptionID string
	PlanID         string
}

// Of decides whether a subscription gives its customer access. A trial and paid time give access; late processing takes
// it from no customer. A customer who has paid before keeps it while a payment is retried, until the subscription is
// past due; a customer who has never paid gets none. Where only a change is unpaid, the time before it stays paid also
// in past due: s is AsPaid, so that it gives what was paid for. A pause gives none, nor does a subscription that has
// ended, also where it was canceled at once and time was paid.
func Of(s Claim, now time.Time) Answer {
	a := Answer{SubscriptionID: s.ID, PlanID: s.PlanID}
	switch {
	case s.Status == subscription.Canceled:
		a.Reason = Canceled
	case s.Status == subscription.Trialing:
		a.Allowed, a.Reason, a.Until = true, Trial, s.TrialEndsAt
	case s.Status == subscription.PastDue && s.PaidFor != nil && now.Before(s.PaidThrough): // only a change is unpaid
		a.Allowed, a.Reason, a.Until = true, Paid, s.PaidThrough
	case s.Status == subscription.PastDue:
		a.Reason = PastDue
	case s.Status == subscription.Paused:
		a.Reason, a.Until = Paused, s.ResumesAt
	case s.Status == subscription.Incomplete:
		a.Reason, a.Until = Unpaid, s.IncompleteUntil
	case s.ActivatedAt.IsZero() && !s.Terms.Sent():
		a.Reason = Unpaid
	case s.Collecting == nil, s.Pays(s.CollectingInvoiceID): // a change that is not paid changes nothing
		a.Allowed, a.Reason, a.Until = true, Paid, s.CurrentPeriod.End
	case s.NextAction == subscription.ActionInvoiceOverdue:
		a.Allowed, a.Reason, a.Until = true, Pending, s.NextActionAt
	case s.Collecting.Attempts == 0, s.Collecting.Attempts <= 1 && s.Collecting.Phase == collection.Charging,
		s.Collecting.Phase == collection.Waiting:
		a.Allowed, a.Reason = true, Pending
	default:
		a.Allowed, a.Reason = true, Retrying
		if s.NextAction == subscription.ActionPaymentRetry {
			a.Until = s.NextActionAt
		}
	}
	if a.Until.Before(now) { // the work is late: its time is unknown
		a.Until = time.Time{}
	}
	return a
}

// DeniedForDebt returns the answer about a subscription of a customer whom the overdue policy denies access. It ends
// with what the customer owes, at no time that is known.
func (a Answer) DeniedForDebt() Answer {
	if a.Allowed {
		a.Allowed, a.Reason, a.Until = false, Overdue, time.Time{}
	}
	return a
}

// rank orders reasons: first those that give access, then those that a customer can do something about.
var rank = []Reason{Paid, Trial, Pending, Retrying, Overdue, PastDue, Unpaid, Paused, Canceled, NoSubscription}

// Best returns the answer that counts for several subscriptions: one that gives access first, then the strongest
// reason, then the one that lasts longest. For no subscriptions it returns NoSubscription.
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
