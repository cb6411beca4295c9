package subscription

import (
	"time"

	"perennial/billing/event"
)

// trialNoticeDays is how long before the end of a trial it is announced, in local calendar days: time enough to ask for
// a payment method. A shorter trial announces its end when it begins.
const trialNoticeDays = 3

// AnnounceTrialEnd announces once that the trial ends soon. Faults: subscription_not_in_trial, subscription_canceled.
func (s Situation) AnnounceTrialEnd(now time.Time) (Decision, error) {
	if err := permit(s.Status, trialEnding); err != nil {
		return Decision{}, err
	}
	if s.TrialNoticeAt.IsZero() || now.Before(s.TrialNoticeAt) {
		return Decision{}, ErrNotInTrial
	}
	return s.announceTrialEnd(now), nil
}

func (s Situation) announceTrialEnd(now time.Time) Decision {
	s.TrialNoticeAt = time.Time{}
	return Decision{Subscription: s.Subscription, Events: []event.Event{event.New(event.SubscriptionTrialWillEnd{
		Subscription: s.announced(), PlanID: s.PlanID, TrialEndsAt: s.TrialEndsAt.Unix(),
		CancelAtPeriodEnd: s.CancelAtPeriodEnd,
	}, now)}}
}
