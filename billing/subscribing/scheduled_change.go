package subscribing

import (
	"slices"
	"time"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// maxScheduledYears bounds the date of a change: a later one is a typing error.
const maxScheduledYears = 5

// The refusals of scheduled changes.
var (
	ErrTooManyChanges = fault.New(fault.Conflict, "scheduled_changes_limit",
		"The subscription has %d scheduled changes, which is the most. Withdraw one first.", subscription.MaxScheduledChanges)
	ErrEffectiveAt = fault.InvalidParam("effectiveAt", "effective_at_out_of_range",
		"`effectiveAt` must be in the future, at most %d years from now. Omit it to make the change now.", maxScheduledYears)
	ErrAfterEnd = fault.New(fault.Conflict, "effective_at_after_end",
		"The subscription ends before that. Reactivate it first, or choose an earlier time.").In("effectiveAt")
	ErrMoveWaits = fault.New(fault.Conflict, "migration_scheduled",
		"Only a move to another version waits for the end of the period. Move the subscription to its present version, "+
			"which takes that back.")
	ErrChangeNotFound = fault.New(fault.NotFound, "scheduled_change_not_found",
		"The subscription has no scheduled change with this id. It may have taken effect.")
)

// ScheduleChange adds a change for a date. Other scheduled changes stay, and a change now keeps this one: at its date
// it changes the fields that it sets. It is checked against the state that is planned for its date. Faults:
// subscription_canceled, effective_at_out_of_range, effective_at_after_end, scheduled_changes_limit,
// period_paid_elsewhere, plan_is_add_on, plan_inactive, currency_mismatch, quantity_out_of_range, those of Sell,
// add_ons_other_interval, amount_too_large.
func (s Situation) ScheduleChange(c Change, id string, now time.Time) (Decision, error) {
	if err := c.checkBehavior(s.Subscription); err != nil {
		return Decision{}, err
	}
	if err := changeable(s, changePlan); err != nil {
		return Decision{}, err
	}
	one := subscription.ScheduledChange{
		ID: id, At: c.On.UTC().Truncate(time.Second), Quantity: c.Quantity, Proration: c.Proration,
	}
	if err := schedulable(s, one, now); err != nil {
		return Decision{}, err
	}
	before := s.plannedAt(one.At)
	if c.Plan != nil {
		if err := s.offered(*c.Plan); err != nil {
			return Decision{}, err
		}
		one.Plan, before.Plan = c.Plan.Ref(), *c.Plan
	}
	if c.Quantity != 0 {
		if err := subscription.CheckQuantity(c.Quantity); err != nil {
			return Decision{}, err
		}
	}
	if c.AddOns != nil {
		addOns, err := s.AddOns.Choose(s.Facts.AddOn, *c.AddOns, before.Plan)
		if err != nil {
			return Decision{}, err
		}
		one.AddOns = &addOns
	}
	s.Scheduled = s.Scheduled.With(one)
	if err := s.plannable(); err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "scheduledChanges")}}, nil
}

// schedulable refuses a change for its date, or because there are too many. Faults: effective_at_out_of_range,
// effective_at_after_end, scheduled_changes_limit, period_paid_elsewhere.
func schedulable(s Situation, one subscription.ScheduledChange, now time.Time) error {
	switch {
	case !one.At.After(now) || one.At.After(now.AddDate(maxScheduledYears, 0, 0)):
		return ErrEffectiveAt
	case s.CancelAtPeriodEnd && !one.At.Before(s.PlanEnd()):
		return ErrAfterEnd
	case len(s.Scheduled) >= subscription.MaxScheduledChanges:
		return ErrTooManyChanges
	case s.PaidElsewhere() && one.At.Before(s.Boundary()) && one.Proration != subscription.NoProration:
		return ErrPaidElsewhere
	default:
		return nil
	}
}

// WithdrawChange withdraws a scheduled change, the one at the end of the period, or the one that waits for its payment.
// The one at the end of the period stays beside the latter, which may keep or replace it. Faults: change_pending,
// subscription_canceled, scheduled_change_not_found, migration_scheduled.
func (s Situation) WithdrawChange(id string, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	if s.PendingChange != nil && s.PendingChange.ID == id {
		return WithdrawPending(s, now), nil
	}
	at := slices.IndexFunc(s.Scheduled, func(c subscription.ScheduledChange) bool { return c.ID == id })
	_, waits := s.WaitingChange()
	switch {
	case id == subscription.AtPeriodEnd && waits && s.PendingChange != nil:
		return Decision{}, ErrChangePending
	case id == subscription.AtPeriodEnd && waits:
		if !s.withdrawWaiting() {
			return Decision{}, ErrMoveWaits
		}
	case at >= 0:
		s.Scheduled = s.Scheduled.Without(at)
	default:
		return Decision{}, ErrChangeNotFound
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "scheduledChanges")}}, nil
}

// withdrawWaiting removes the change at the end of the period. Moves to other versions stay, since an operator
// requested them. It reports whether it removed anything.
func (s *Situation) withdrawWaiting() bool {
	had := s.Subscription
	s.PendingQuantity, s.PendingAddOns = 0, movesBeside(had, s.AddOns)
	if s.PendingPlanID != s.PlanID {
		s.SetPendingPlan(plan.Ref{})
	}
	return had.PendingQuantity != 0 || had.PendingPlan() != s.PendingPlan() ||
		had.PendingAddOns != nil && !slices.Equal(had.NextAddOns(), s.NextAddOns())
}

// plannedAt returns the planned billing just before a date.
func (s Situation) plannedAt(at time.Time) costing.Target {
	t := s.Present()
	for _, c := range s.AllChanges() {
		if !c.At.After(at) {
			t = s.Facts.Changed(t, c)
		}
	}
	return t
}

// plannable refuses changes that could not be billed one after the other. Faults: add_ons_other_interval,
// amount_too_large.
func (s Situation) plannable() error {
	t := s.Present()
	for _, c := range s.AllChanges() {
		t = s.Facts.Changed(t, c)
		if err := s.Facts.Aligned(t); err != nil {
			return err
		}
		if err := s.Renewable(t); err != nil {
			return err
		}
	}
	return nil
}
