package subscribing

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// trialNoticeDays is the number of local calendar days between the notice and the end of a trial: enough to ask for a
// payment method. A shorter trial announces its end when it begins.
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
		Subscription: s.Announced(), PlanID: s.PlanID, TrialEndsAt: s.TrialEndsAt.Unix(),
		CancelAtPeriodEnd: s.CancelAtPeriodEnd,
	}, now)}}
}

// ErrTrialOver refuses to move the end of a trial that has ended or never existed.
var ErrTrialOver = fault.New(fault.Conflict, "subscription_not_in_trial",
	"The subscription is not in a trial, so no trial's end can change.").In("trialEndsAt")

// EndTrialAt moves the end of the trial, and with it the anchor of all periods: later, earlier, or to now. The new end
// is announced if its notice is due. Faults: subscription_not_in_trial, subscription_canceled, trial_end_out_of_range.
func (s Situation) EndTrialAt(at, now time.Time) (Decision, error) {
	if err := permit(s.Status, moveTrialEnd); err != nil {
		return Decision{}, err
	}
	at = at.UTC().Truncate(time.Second)
	start, location := s.CurrentPeriod.Start, s.Schedule().Location
	if at.Before(now.Truncate(time.Second)) || at.After(period.AddDays(start, location, plan.MaxTrialDays)) {
		return Decision{}, fault.InvalidParam("trialEndsAt", "trial_end_out_of_range",
			"`trialEndsAt` must not be before now, nor later than %d days after the trial's start.", plan.MaxTrialDays)
	}
	if !at.After(start) { // a period cannot be empty
		at = start.Add(time.Second)
	}
	if at.Equal(s.TrialEndsAt) {
		return Decision{Subscription: s.Subscription}, nil
	}
	s.TrialEndsAt, s.AnchorAt, s.CurrentPeriod.End = at, at, at
	s.TrialNoticeAt = period.AddDays(at, location, -trialNoticeDays)
	d := Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "trialEndsAt")}}
	switch {
	case !at.After(now): // nothing is left to announce
		d.Subscription.TrialNoticeAt = time.Time{}
	case !now.Before(s.TrialNoticeAt):
		noticed := s.announceTrialEnd(now)
		d.Subscription, d.Events = noticed.Subscription, append(d.Events, noticed.Events...)
	}
	return d, nil
}
