// Package access owns whether a customer may use the product now, why, and until when. It does not own what an app does
// about it.
package access

import (
	"slices"
	"time"

	"perennial/billing/collection"
	"perennial/billing/subscription"
)

// Reason says why a customer may use the product, or may not.
type Reason string

// The reasons. Those of the first group allow it.
const (
	Paid    Reason = "paid"            // the time is paid, or nothing is owed for it
	Trial   Reason = "trial"           // the trial goes on
	Pending Reason = "payment_pending" // paid before, and the payment of the present period is not decided yet
	// Retrying: paid before, and a payment has failed, but is tried again.
	Retrying Reason = "payment_retrying"

	Unpaid         Reason = "first_payment_pending" // nothing was paid yet
	PastDue        Reason = "past_due"              // the last attempt failed
	Paused         Reason = "paused"                // until it resumes
	Canceled       Reason = "canceled"
	NoSubscription Reason = "no_subscription"

	// NotIncluded: the customer may use the product, and no plan or add-on of theirs has the feature that is asked about.
	NotIncluded Reason = "feature_not_included"
	// LimitReached: they have the feature, and have used of it what they may until its limit begins again.
	LimitReached Reason = "feature_limit_reached"
)

// Claim is a subscription, and how the collection of its invoice stands; nil: none is in collection.
type Claim struct {
	subscription.Subscription
	Collecting *collection.State
}

// Answer is about one subscription, or none.
type Answer struct {
	Allowed bool
	Reason  Reason
	// Until is when the answer may change by itself at the earliest; the zero time: not by itself, or nobody knows when.
	Until          time.Time
	SubscriptionID string
	PlanID         string
}

// Of says whether a subscription lets its customer in. A trial and paid time let in; work that is late locks nobody
// out. Whoever has paid before is let in while a payment is tried again, until the subscription is past due, also for a
// change within time that was paid; whoever has never paid is not. A pause lets nobody in. A subscription that has
// ended does neither, also where it was canceled at once and time was paid.
func Of(s Claim, now time.Time) Answer {
	a := Answer{SubscriptionID: s.ID, PlanID: s.PlanID}
	switch {
	case s.Status == subscription.Canceled:
		a.Reason = Canceled
	case s.Status == subscription.Trialing:
		a.Allowed, a.Reason, a.Until = true, Trial, s.TrialEndsAt
	case s.Status == subscription.PastDue:
		a.Reason = PastDue
	case s.Status == subscription.Paused:
		a.Reason, a.Until = Paused, s.ResumesAt
	case s.Status == subscription.Incomplete:
		a.Reason, a.Until = Unpaid, s.IncompleteUntil
	case s.ActivatedAt.IsZero() && !s.Terms.Sent():
		a.Reason = Unpaid
	case s.Collecting == nil:
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
	if a.Until.Before(now) { // it is late: nobody knows when
		a.Until = time.Time{}
	}
	return a
}

// rank orders reasons: what lets in first, and of what does not, what a customer can do something about.
var rank = []Reason{Paid, Trial, Pending, Retrying, PastDue, Unpaid, Paused, Canceled, NoSubscription}

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
