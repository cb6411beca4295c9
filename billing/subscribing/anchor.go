package subscribing

import (
	"errors"
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

// ErrAnchorDate refuses a date to move the anchor to.
var ErrAnchorDate = fault.InvalidParam("billingAnchor", "billing_anchor_out_of_range",
	"`billingAnchor` must be `now` or in the future, at most %d years from now.", maxScheduledYears)

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

// ScheduleAnchor moves the anchor at a date: the period of that time ends and another one begins, as MoveAnchor says.
// Where a period begins at the date anyway, the later ones are counted from there and nothing is prorated. What
// MoveAnchor refuses at the date drops the change, with an event. Faults: subscription_canceled, subscription_paused,
// subscription_incomplete, change_pending, subscription_in_trial, cancellation_scheduled, billing_anchor_out_of_range,
// scheduled_changes_limit, period_paid_elsewhere.
func ScheduleAnchor(
	s Situation, how subscription.ProrationBehavior, on time.Time, id string, now time.Time,
) (Decision, error) {
	if err := changeable(s, changePlan); err != nil {
		return Decision{}, err
	}
	one := subscription.ScheduledChange{ID: id, At: on.UTC().Truncate(time.Second), Proration: how, Anchor: true}
	err := schedulable(s, one, now)
	switch {
	case errors.Is(err, ErrEffectiveAt):
		return Decision{}, ErrAnchorDate
	case s.CancelAtPeriodEnd:
		return Decision{}, ErrEnding
	case err != nil:
		return Decision{}, err
	case s.Status == subscription.Trialing && !one.At.After(s.Boundary()):
		return Decision{}, ErrAnchorInTrial
	}
	s.Scheduled = s.Scheduled.With(one)
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "scheduledChanges")}}, nil
}
