package subscribing

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/subscription"
)

// MigrateAddOn moves the subscription to another version of an add-on, as Migrate does with its plan. The facts have
// that version. It waits for no payment: Behavior is not read. Faults: those of Migrate.
func (s Situation) MigrateAddOn(m Migration, now time.Time) (Decision, error) {
	to, atPeriodEnd := m.To, m.AtPeriodEnd
	if err := changeable(s, changePlan); err != nil {
		return Decision{}, err
	}
	has, later := s.AddOns.Find(to.ID), s.NextAddOns().Find(to.ID)
	if has < 0 {
		return Decision{}, ErrNotOnPlan
	}
	renewsOn := to.Version // where the add-on will be removed, there is nothing to move
	if later >= 0 {
		renewsOn = s.NextAddOns()[later].Version
	}
	current := s.AddOns[has].Version == to.Version
	switch {
	case atPeriodEnd && (s.CancelAtPeriodEnd || later < 0):
		return Decision{}, ErrLeavesPlan
	case renewsOn == to.Version && (current || atPeriodEnd):
		return Decision{}, ErrVersionUnchanged
	}
	if err := subscription.CheckCurrency(to, s.Currency); err != nil {
		return Decision{}, fault.From(err).In("planVersion")
	}
	next := s.Upcoming()
	next.AddOns = next.AddOns.WithVersion(to.Ref())
	present := s.Present()
	if !atPeriodEnd {
		present.AddOns = present.AddOns.WithVersion(to.Ref())
	}
	if err := s.Facts.Billable(present, next); err != nil {
		return Decision{}, err
	}
	if err := s.Facts.Aligned(next); err != nil {
		return Decision{}, err
	}
	s.PendingAddOns = subscription.PendingAddOns(present.AddOns, next.AddOns)
	if atPeriodEnd || current {
		return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "pendingAddOns")}}, nil
	}
	return proposal{Situation: s}.changeNow(present, from(m.At, now), now)
}
