package subscription

import (
	"time"

	"perennial/billing/event"
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

// planChanged announces that the subscription has left a plan for its present one.
func (s Subscription) planChanged(from string, now time.Time) event.Event {
	return event.New(event.SubscriptionPlanChanged{
		Subscription: s.announced(), Status: string(s.Status), PlanID: s.PlanID, PreviousPlanID: from,
	}, now)
}
