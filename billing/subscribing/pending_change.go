package subscribing

import (
	"time"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// The refusals around changes that wait for their payment.
var (
	// ErrChangePending refuses what would change the price of a change that is billed already.
	ErrChangePending = fault.New(fault.Conflict, "change_pending",
		"A change of the subscription waits for its payment. Pay its invoice, or withdraw the change "+
			"(DELETE …/scheduled-changes/{pendingChange.id}), and repeat the request.")
	// ErrChangeNotPending refuses the end of a change that does not wait, or whose time remains.
	ErrChangeNotPending = fault.New(fault.Conflict, "change_not_pending",
		"No change of the subscription waits for its payment, or its time to pay has not ended.")
	// ErrOwesBefore refuses to let a change wait whose invoice would replace an unpaid one: if the change is withdrawn,
	// the void one could not be collected any more.
	ErrOwesBefore = fault.New(fault.Conflict, "subscription_invoice_open",
		"The subscription has an open invoice, or one in draft. Settle it first, or send `paymentBehavior: \"activate\"`.").
		In("paymentBehavior")
	// ErrLinesWait refuses to let a change wait whose invoice would bill lines that wait for the next one.
	ErrLinesWait = fault.New(fault.Conflict, "prorations_waiting",
		"Prorations of earlier changes wait for the next invoice, and would be billed with this change. Send "+
			"`paymentBehavior: \"activate\"`, or repeat the request in the next period.").In("paymentBehavior")
)

// ReasonChangeNotPaid is the reason for which a change is dropped whose invoice was not paid in time.
const ReasonChangeNotPaid = "change_not_paid"

// checkBehavior refuses an unknown behaviour, and one that waits for a change that is not made now and invoiced now.
// Faults: payment_behavior_unknown, payment_behavior_sent, fields_exclusive.
func (c Change) checkBehavior(s subscription.Subscription) error {
	switch {
	case !c.Behavior.Waits():
		return c.Behavior.Check()
	case c.AtPeriodEnd, !c.On.IsZero():
		return fault.InvalidParam("paymentBehavior", "fields_exclusive",
			"A later change is paid with a later invoice. Omit `paymentBehavior`, or make the change now.")
	case c.Proration != "" && c.Proration != subscription.InvoiceNow:
		return fault.InvalidParam("paymentBehavior", "fields_exclusive",
			"A change waits for the payment of its invoice. Omit `paymentBehavior`, or `prorationBehavior`.")
	case s.Terms.Sent():
		return fault.InvalidParam("paymentBehavior", "payment_behavior_sent",
			"An invoice that is sent is paid later, so that the change cannot wait for it. Omit `paymentBehavior`, or change "+
				"`collectionMethod` first.")
	}
	return nil
}

// pend lets a change wait for its payment, where made, the decision that makes it from a time on, costs something. The
// subscription stays as it was. Faults: subscription_invoice_open, prorations_waiting, amount_too_large.
func pend(s Situation, c Change, to costing.Target, made Decision, at, now time.Time) (Decision, error) {
	if len(made.Issue) == 0 {
		return made, nil
	}
	sums, err := made.Issue[0].Sums()
	switch {
	case err != nil:
		return Decision{}, err
	case sums.Total <= 0:
		return made, nil
	case len(s.Facts.Open) > 0, s.Facts.OpenFor(s.PeriodIndex) != nil:
		return Decision{}, ErrOwesBefore
	case len(s.PendingLines) > 0:
		return Decision{}, ErrLinesWait
	}
	one := subscription.PendingChange{
		ScheduledChange: subscription.ScheduledChange{ID: c.ID, At: at, Quantity: c.Quantity},
		Until:           s.TimeToPayChange(now), AttemptsOnce: c.Behavior == subscription.AttemptOnce,
	}
	if c.Plan != nil {
		one.Plan = to.Plan.Ref()
	}
	if c.AddOns != nil {
		one.AddOns = &to.AddOns
	}
	s.PendingChange = &one
	made.Issue[0].Awaited = true
	return Decision{
		Subscription: s.Subscription, Issue: made.Issue, Events: []event.Event{s.Updated(now, "pendingChange")},
	}, nil
}

// makePending makes the change whose invoice is paid, as it was billed: its lines are on that invoice. It was checked
// before it was billed, and change_pending refuses what would have to be checked again.
func makePending(s Situation, now time.Time) Decision {
	one, was, to := *s.PendingChange, s.Subscription, s.Facts.Plan
	s.PendingChange = nil
	if one.Plan.ID != "" {
		to = s.Facts.Version(one.Plan)
		if next := s.PendingPlan(); !one.Moves(s.Subscription) || next.ID == s.PlanID {
			s.SetPendingPlan(plan.Ref{})
		}
	}
	if one.Quantity != 0 {
		s.Quantity, s.PendingQuantity = one.Quantity, 0
	}
	if one.AddOns != nil {
		s.AddOns, s.PendingAddOns = *one.AddOns, movesBeside(s.Subscription, *one.AddOns)
	}
	s.UnproratedIndex = 0
	items := s.ItemsOn(to)
	s.SetPlan(to.Ref())
	s.Items = items
	if to.Interval != s.Facts.Plan.Interval {
		s.restart(to, one.At)
	} else if every, err := s.Counts(costing.Target{Plan: to, AddOns: s.AddOns}, false); err == nil {
		realign(&s, every, to, one.At)
	}
	return Decision{Subscription: s.Subscription, Events: changed(s, was, now, "pendingChange")}
}

// ExpireChange withdraws the change whose invoice was not paid in time. attempted reports that a payment of it is in
// progress: after an outage the end moves, as that of ExpireIncomplete does, but not beyond the next boundary or
// scheduled change. Faults: change_not_pending, subscription_canceled.
func ExpireChange(s Situation, attempted bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, changeExpired); err != nil {
		return Decision{}, err
	}
	if s.PendingChange == nil || now.Before(s.PendingChange.Until) {
		return Decision{}, ErrChangeNotPending
	}
	later := now.UTC().Truncate(time.Second).Add(answerTime)
	if attempted && now.Sub(s.PendingChange.Until) > lateEnd && s.CanMoveChangeEnd(later) {
		one := *s.PendingChange
		one.Until = later
		s.PendingChange = &one
		return Decision{Subscription: s.Subscription}, nil
	}
	return withoutPending(s, ReasonChangeNotPaid, now), nil
}

// WithdrawPending withdraws the change that waits for its payment, at a person's request. Without one it has no effect.
func WithdrawPending(s Situation, now time.Time) Decision {
	if s.PendingChange == nil {
		return Decision{Subscription: s.Subscription}
	}
	d := withoutPending(s, "", now)
	d.Events = d.Events[1:] // only its end is news
	return d
}

// withoutPending withdraws the change that waits for its payment, with its invoice.
func withoutPending(s Situation, reason string, now time.Time) Decision {
	one := s.PendingChange
	s.PendingChange = nil
	return Decision{
		Subscription: s.Subscription, Withdrawn: one,
		Events: []event.Event{s.dropped(one.ScheduledChange, reason, now), s.Updated(now, "pendingChange")},
	}
}

// uncommitted returns the situation without the invoice of the change that waits for its payment: the decision voids
// it.
func uncommitted(s Situation) Situation {
	if s.PendingChange == nil {
		return s
	}
	var open []invoice.Invoice
	for _, inv := range s.Facts.Open {
		if !s.Pays(inv.ID) {
			open = append(open, inv)
		}
	}
	s.Facts.Open = open
	return s
}
