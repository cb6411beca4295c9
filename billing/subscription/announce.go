package subscription

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/plan"
)

// Announced returns the fields of every event about the subscription.
func (s Subscription) Announced() event.Subscription { return event.OfSubscription(s.ID, s.CustomerID) }

// Updated returns the event with the changed fields of the resource.
func (s Subscription) Updated(now time.Time, fields ...string) event.Event {
	return event.New(event.SubscriptionUpdated{
		Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID, Changed: fields,
	}, now)
}

// Activated returns the event that the subscription is active: paid, or free.
func (s Subscription) Activated(now time.Time) event.Event {
	return event.New(event.SubscriptionActivated{Subscription: s.Announced()}, now)
}

// LeftPlan returns the events of a renewal that changed the plan, or its version.
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

// PlanChanged returns the event that the subscription changed from a plan to its present one.
func (s Subscription) PlanChanged(from string, now time.Time) event.Event {
	return event.New(event.SubscriptionPlanChanged{
		Subscription: s.Announced(), Status: string(s.Status), PlanID: s.PlanID, PreviousPlanID: from,
	}, now)
}
