package subscription

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/plan"
)

// Announced is what every event about the subscription carries.
func (s Subscription) Announced() event.Subscription { return event.OfSubscription(s.ID, s.CustomerID) }

// Updated names the fields of the resource that changed.
func (s Subscription) Updated(now time.Time, fields ...string) event.Event {
	return event.New(event.SubscriptionUpdated{
		Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID, Changed: fields,
	}, now)
}

// Activated announces that the subscription is active: paid for, or free.
func (s Subscription) Activated(now time.Time) event.Event {
	return event.New(event.SubscriptionActivated{Subscription: s.Announced()}, now)
}

// LeftPlan announces at a renewal that the subscription has left a plan, or a version of it, for its present one.
func (s Subscription) LeftPlan(from plan.Ref, now time.Time) []event.Event {
	switch {
	case s.PlanID != from.ID:
		return []event.Event{s.PlanChanged(from.ID, now)}
	case s.PlanVersion != from.Version:
		return []event.Event{s.Updated(now, "planVersion")}
	default:
		return nil
	}
}

// PlanChanged announces that the subscription has left a plan for its present one.
func (s Subscription) PlanChanged(from string, now time.Time) event.Event {
	return event.New(event.SubscriptionPlanChanged{
		Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID, PreviousPlanID: from,
	}, now)
}
