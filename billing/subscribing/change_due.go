package subscribing

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/subscription"
)

// ChangeAt returns the time of the next scheduled change; ok is false where there is none. An undecided payment of the
// current period refuses a change now, so it delays a scheduled one until it is decided, or until the next period. The
// anchor moves to a boundary as the next period opens: ok is false there too.
func (s Situation) ChangeAt() (at time.Time, ok bool) {
	if len(s.Scheduled) == 0 || s.Status == subscription.Paused { // paused by a build without scheduled changes
		return time.Time{}, false
	}
	one, boundary := s.Scheduled[0], s.Boundary()
	switch {
	case !one.At.Before(boundary) && continuesAt(s, s.Present(), boundary):
		return one.At, false // the period opens first, since the own periods that continue are prorated
	case !one.At.Before(boundary):
		return one.At, !one.Anchor // the period that begins at the boundary has the anchor
	case s.paymentInProgress():
		return boundary, true
	default:
		return one.At, true
	}
}

// paymentInProgress reports whether a payment of the current period is in progress.
func (s Situation) paymentInProgress() bool {
	open := s.Facts.OpenFor(s.PeriodIndex)
	if open == nil || open.Status == invoice.InDraft {
		return false
	}
	_, _, _, err := open.Withdraw("", false, s.CurrentPeriod.End)
	return err != nil
}

// MakeChange makes the first scheduled change from its date on, also late. At a boundary, or if delayed until there, it
// belongs to the period that begins there. It drops a change that is impossible now, and announces the reason. Faults:
// subscription_canceled, change_not_due.
func (s Situation) MakeChange(now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	if len(s.Scheduled) == 0 || now.Before(s.Scheduled[0].At) {
		return Decision{}, ErrChangeNotDue
	}
	one := s.Scheduled[0]
	s.Scheduled = s.Scheduled.Without(0)
	d, err := s.makeDue(one, now)
	if refusal := fault.From(err); refusal != nil && refusal.Refusal() {
		return Decision{
			Subscription: s.Subscription,
			Events:       []event.Event{s.dropped(one, refusal.Code, now), s.Updated(now, "scheduledChanges")},
		}, nil
	}
	if err != nil {
		return Decision{}, err
	}
	for i := range d.Issue {
		d.Issue[i].Change = one.ID
	}
	d.Events = append(d.Events, d.Subscription.Updated(now, "scheduledChanges"))
	return d, nil
}

// makeDue makes a due change. At the boundary at which the subscription ends, it refuses it. The anchor moves within a
// period only: a payment that is still in progress at its end would be for the time before and after the date.
func (s Situation) makeDue(one subscription.ScheduledChange, now time.Time) (Decision, error) {
	if one.Anchor {
		if s.paymentInProgress() {
			return Decision{}, ErrPaymentPending
		}
		return s.MoveAnchor(one.Proration, one.At, now)
	}
	c := s.due(one)
	if c.AtPeriodEnd && s.Ends() {
		return Decision{}, ErrAfterEnd
	}
	return s.ChangePlan(c, now)
}

// ErrChangeNotDue refuses a scheduled change before its date.
var ErrChangeNotDue = fault.New(fault.Conflict, "change_not_due", "No scheduled change of the subscription is due.")

// due returns a scheduled change as a request for now. Plans that were active when it was scheduled count as active.
func (s Situation) due(one subscription.ScheduledChange) Change {
	c := Change{Quantity: one.Quantity, Proration: one.Proration, At: one.At}
	if one.Plan.ID != "" {
		to := s.Facts.Version(one.Plan)
		to.Active = true
		c.Plan = &to
	}
	if one.AddOns != nil {
		chosen := make([]subscription.Chosen, len(*one.AddOns))
		for i, a := range *one.AddOns {
			chosen[i] = subscription.Chosen{AddOn: s.Facts.AddOn(a.Ref), Quantity: a.Quantity}
			chosen[i].AddOn.Active = true
		}
		c.AddOns = &chosen
	}
	if !one.At.Before(s.Boundary()) || s.paymentInProgress() {
		c.AtPeriodEnd, c.Proration = true, ""
	}
	return c
}

// dropped returns the event that a scheduled change will not take effect.
func (s Situation) dropped(c subscription.ScheduledChange, reason string, now time.Time) event.Event {
	return event.New(event.SubscriptionChangeDropped{
		Subscription: s.Announced(), ScheduledChangeID: c.ID, EffectiveAt: c.At.Unix(), Reason: reason,
	}, now)
}

// dropScheduled removes all scheduled changes, and returns their events.
func (s *Situation) dropScheduled(reason string, now time.Time) (events []event.Event) {
	for _, c := range s.Scheduled {
		events = append(events, s.dropped(c, reason, now))
	}
	s.Scheduled = nil
	return events
}
