package subscription

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/plan"
)

// announced is what every event about the subscription carries.
func (s Subscription) announced() event.Subscription { return event.OfSubscription(s.ID, s.CustomerID) }

// updated names the fields of the resource that changed.
func (s Subscription) updated(now time.Time, fields ...string) event.Event {
	return event.New(event.SubscriptionUpdated{
		Subscription: s.announced(), Status: string(s.Status), PlanID: s.PlanID, Changed: fields,
	}, now)
}

func (s Subscription) activated(now time.Time) event.Event {
	return event.New(event.SubscriptionActivated{Subscription: s.announced()}, now)
}

// leftPlan announces at a renewal that the subscription has left a plan, or a version of it, for its present one.
func (s Subscription) leftPlan(from plan.Ref, now time.Time) []event.Event {
	switch {
	case s.PlanID != from.ID:
		return []event.Event{s.planChanged(from.ID, now)}
	case s.PlanVersion != from.Version:
		return []event.Event{s.updated(now, "planVersion")}
	default:
		return nil
	}
}

// planChanged announces that the subscription has left a plan for its present one.
func (s Subscription) planChanged(from string, now time.Time) event.Event {
	return event.New(event.SubscriptionPlanChanged{
		Subscription: s.announced(), Status: string(s.Status), PlanID: s.PlanID, PreviousPlanID: from,
	}, now)
}
