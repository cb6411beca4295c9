package subscribing

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// ErrAnchorInTrial refuses to move the anchor in a trial, whose end is the anchor.
var ErrAnchorInTrial = fault.New(fault.Conflict, "subscription_in_trial",
	"The periods of a subscription in its trial are counted from the end of the trial. Move that with `trialEndsAt`.").
	In("billingAnchor")

// ErrPeriodUnpaid refuses to end a period without proration while its invoice is open: its payer would pay for time
// that another period bills too.
var ErrPeriodUnpaid = fault.New(fault.Conflict, "subscription_invoice_open",
	"The invoice of the current period is open, or still a draft. Pay it, void it or mark it uncollectible, or send "+
		"another `prorationBehavior`.")

// MoveAnchor ends the current period and begins a new one at a time, at most now; zero: now. All later ones are counted
// from there. It credits the
// unused time and charges the new period like a change of interval. NoProration credits nothing and closes the earlier
// periods: their invoices do not count any more. Every behavior invoices now. A change at the end of the period waits
// for the end of the new one. A scheduled cancellation refuses the move, since it would bill a new period to a customer
// who leaves. Faults: subscription_canceled, subscription_in_trial, subscription_paused, cancellation_scheduled,
// period_just_begun, subscription_invoice_open, payment_in_progress, renewal_due, period_paid_elsewhere,
// amount_too_large.
func (s Situation) MoveAnchor(how subscription.ProrationBehavior, at, now time.Time) (Decision, error) {
	if err := permit(s.Status, moveAnchor); err != nil {
		return Decision{}, err
	}
	at, err := since(at, s.CurrentPeriod, now)
	switch {
	case err != nil:
		return Decision{}, err
	case s.CancelAtPeriodEnd:
		return Decision{}, ErrEnding
	case s.PendingChange != nil:
		return Decision{}, ErrChangePending
	case at.Equal(s.CurrentPeriod.Start):
		return Decision{}, ErrSameInstant
	case how == subscription.NoProration && s.Facts.OpenFor(s.PeriodIndex) != nil:
		return Decision{}, ErrPeriodUnpaid
	}
	moved := proposal{Situation: s, how: how, restarts: true}
	issue, err := moved.exchange(s.Facts.Plan, slices.Clone(s.Items), at)
	if err != nil {
		return Decision{}, err
	}
	if how == subscription.NoProration {
		moved.RenewedFrom, moved.RenewedIndex = moved.CurrentPeriod.Start, moved.PeriodIndex
	}
	return Decision{
		Subscription: moved.Subscription, Issue: issue, Events: []event.Event{moved.Updated(now, "billingAnchor")},
	}, nil
}
