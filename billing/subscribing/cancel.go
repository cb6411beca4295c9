package subscribing

import (
	"cmp"
	"time"

	"perennial/billing/cardnumber"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// Cancellation is a request to end a subscription. Without Immediate it ends with its current period (or trial); a
// paused one, which has no period, ends now.
type Cancellation struct {
	Reason    string // empty: the former one, if any
	Immediate bool
	// RefundUnused refunds the unused time of the current period where it was paid, and where it was not, reduces its
	// price to the used time; only with Immediate.
	RefundUnused bool
	At           time.Time // unused time is given back from here on, at most now; zero: now
}

// The cancel reasons that the service sets. People wrote all others.
const (
	ReasonCustomerDeleted = "customer_deleted"
	ReasonPastDueExpired  = "past_due_expired" // past due for the time that the environment allows
	// ReasonNoPaymentMethod: the trial ended without one, and the plan ends the subscription then.
	ReasonNoPaymentMethod = "no_payment_method"
	// ReasonCustomerOverdue: the customer is in a state of the overdue policy that cancels.
	ReasonCustomerOverdue = "customer_overdue"
)

// OwnReasons returns the service's reasons. They have no personal data, so that an erasure keeps them.
func OwnReasons() []string {
	return []string{ReasonCustomerDeleted, ReasonPastDueExpired, ReasonNoPaymentMethod, ReasonFirstPaymentExpired,
		ReasonFirstPaymentFailed, ReasonCustomerOverdue}
}

// Check refuses an invalid request: refund_needs_immediate_effect, card_number_refused.
func (c Cancellation) Check() error {
	if c.RefundUnused && !c.Immediate {
		return fault.InvalidParam("refund", "refund_needs_immediate_effect",
			"`refund` requires `immediateEffect: true`. Send both, or omit `refund`.")
	}
	return cardnumber.Check("reason", c.Reason)
}

// ErrRefundElsewhere refuses to refund time that was not paid here. The cancellation without a refund stays possible.
var ErrRefundElsewhere = fault.New(fault.Conflict, "period_paid_elsewhere",
	"The current period was paid before the subscription was moved to Perennial, so there is no payment here to refund. "+
		"Cancel without `refund`, and give the unused time back where it was paid, or credit the customer's balance.").
	In("refund")

// Cancel ends the subscription now, or with its period. Repeated for the period's end, it changes only the reason.
// Faults: refund_needs_immediate_effect, subscription_canceled, renewal_due, period_paid_elsewhere.
func (s Situation) Cancel(in Cancellation, now time.Time) (Decision, error) {
	if err := in.Check(); err != nil {
		return Decision{}, err
	}
	in.Reason = cmp.Or(in.Reason, s.CancelReason)
	if in.Immediate {
		if err := permit(s.Status, cancelNow); err != nil {
			return Decision{}, err
		}
		d := s.end(in.Reason, now)
		if !in.RefundUnused || d.Withdraw { // an incomplete subscription has paid nothing and owes nothing
			return d, nil
		}
		unused, err := since(in.At, s.CurrentPeriod, now)
		switch {
		case err != nil:
			return Decision{}, err
		case s.PaidElsewhere() && s.Status != subscription.Paused && s.CurrentPeriod.Contains(unused): // no pause ended it
			return Decision{}, ErrRefundElsewhere
		}
		closing, err := uncommitted(s).Closing(unused)
		if err != nil {
			return Decision{}, err
		}
		for _, last := range closing { // refunded time is not paid any more
			d.Issue = closing
			d.Subscription.LimitPaid(last.Period.End)
		}
		return d, nil
	}
	if err := permit(s.Status, cancelAtPeriodEnd); err != nil {
		return Decision{}, err
	}
	if s.Status == subscription.Paused { // its period has ended
		return s.end(in.Reason, now), nil
	}
	if s.CancelAtPeriodEnd && s.CancelReason == in.Reason {
		return Decision{Subscription: s.Subscription}, nil
	}
	return s.endLater(in.Reason, now), nil
}

// Reactivate withdraws a cancellation at the period's end. Faults: cancellation_not_scheduled, subscription_canceled.
func (s Situation) Reactivate(now time.Time) (Decision, error) {
	if err := permit(s.Status, reactivate); err != nil {
		return Decision{}, err
	}
	if !s.CancelAtPeriodEnd {
		return Decision{}, ErrNotScheduled
	}
	s.CancelAtPeriodEnd, s.CancelReason = false, ""
	return Decision{Subscription: s.Subscription, Events: []event.Event{
		event.New(event.SubscriptionReactivated{Subscription: s.Announced(), Status: string(s.Status)}, now),
		s.Updated(now, "cancelAtPeriodEnd"),
	}}, nil
}

// endLater schedules the end with the period. Where it is scheduled already, only the reason changes.
func (s Situation) endLater(reason string, now time.Time) Decision {
	if s.CancelAtPeriodEnd {
		s.CancelReason = reason
		return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "cancelReason")}}
	}
	s.CancelAtPeriodEnd, s.CancelReason = true, reason
	return Decision{Subscription: s.Subscription, Events: []event.Event{
		event.New(event.SubscriptionCancelScheduled{
			Subscription: s.Announced(), Status: string(s.Status), CancelAt: endsAt(s).Unix(), CancelReason: reason,
		}, now),
		s.Updated(now, "cancelAtPeriodEnd"),
	}}
}

// end is the only way into Canceled.
func (s Situation) end(reason string, now time.Time) Decision {
	last := s.LastInvoice()
	canceled := event.New(event.SubscriptionCanceled{Subscription: s.Announced(), CancelReason: reason}, now)
	events := []event.Event{canceled}
	events = append(events, s.dropScheduled(ErrCanceled.Code, now)...)
	pending := s.PendingChange
	if pending != nil {
		events = append(events, s.dropped(pending.ScheduledChange, ErrCanceled.Code, now))
	}
	s.PendingLines, s.UnproratedIndex, s.PaidFor, s.PendingChange = nil, 0, nil, nil
	was := s.Subscription
	s.Status, s.CanceledAt, s.CancelReason = subscription.Canceled, now, reason
	s.ForgetPending()
	s.CancelAtPeriodEnd, s.PastDueAt, s.MethodChangedAt = false, time.Time{}, time.Time{}
	s.TrialNoticeAt, s.CollectionPausedAt = time.Time{}, time.Time{}
	s.EndPause()
	return withdrawn(was, Decision{
		Subscription: s.Subscription, Issue: last, StopCollection: true, Events: events, Withdrawn: pending,
		Unused: s.Discounts.NeverTakenOff(s.PeriodIndex),
	})
}

// endsAt returns the time of an end with the period: that of the plan.
func endsAt(s Situation) time.Time {
	if s.PlanInterval == (period.Interval{}) {
		return s.CurrentPeriod.End
	}
	return s.PlanEnd()
}

// endOnTime ends the subscription at the time of a scheduled cancellation. No customer is present to pay waiting lines,
// so their invoice gets an automatic attempt, as the next invoice would have. An older open invoice is paid first, so
// then it gets none. What is billed of add-ons beyond the end of the plan is credited: paid time becomes credit, and
// open invoices are reduced to the time that was used.
func endOnTime(s Situation, at, now time.Time) (Decision, error) {
	d := s.end(s.CancelReason, now)
	last, reduced, err := uncommitted(s).AtEnd(at)
	if len(last) > 0 {
		d.Issue = last
	}
	for i := range d.Issue {
		d.Issue[i].Attempt = len(s.Facts.Open) == 0
	}
	d.Issue = append(d.Issue, reduced...)
	return d, err
}
