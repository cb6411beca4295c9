package subscription

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
)

// MigrateAddOn moves the subscription to another version of one of its add-ons, as Migrate does with its plan. The
// facts have that version. Faults: those of Migrate.
func (s Situation) MigrateAddOn(to plan.Plan, atPeriodEnd bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
		return Decision{}, err
	}
	has, later := s.AddOns.find(to.ID), s.NextAddOns().find(to.ID)
	if has < 0 {
		return Decision{}, ErrNotOnPlan
	}
	renewsOn := to.Version // where it leaves the add-on, there is nothing to move
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
	if err := CheckCurrency(to, s.Currency); err != nil {
		return Decision{}, fault.From(err).In("planVersion")
	}
	next := s.next()
	next.addOns = next.addOns.on(to.Ref())
	present := s.present()
	if !atPeriodEnd {
		present.addOns = present.addOns.on(to.Ref())
	}
	if err := s.Facts.billable(present, next); err != nil {
		return Decision{}, err
	}
	s.PendingAddOns = waitsBeside(present.addOns, next.addOns)
	if atPeriodEnd || current {
		return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "pendingAddOns")}}, nil
	}
	return proposal{Situation: s}.changeNow(present, now.UTC().Truncate(time.Second), now)
}

// waitsBeside returns the add-ons that wait for the end of the period; nil: those that are there stay.
func waitsBeside(present, next AddOns) *AddOns {
	if slices.Equal(present, next) {
		return nil
	}
	return &next
}
