package subscribing

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// ReminderAt returns the time of the notice of the next renewal, so that the payer is ready for its prompt. It comes
// once for each period that costs something, some local calendar days before it begins, but not before the current
// period began. Renewals without a prompt have none. ok is false where there is nothing to announce.
func (s Situation) ReminderAt(asksPayer bool) (at time.Time, ok bool) {
	boundary := s.Boundary()
	begun := s.Status == subscription.Active && !s.Unbegun()
	renews := (begun || s.Status == subscription.Trialing) && !s.Ends()
	if !asksPayer || !renews || s.Facts.Settings.RenewalReminderDays == 0 || s.RemindedFor.Equal(boundary) ||
		!s.Renewal().Costs() && len(s.PendingLines) == 0 {
		return time.Time{}, false
	}
	at = period.AddDays(boundary, s.Schedule().Location, -s.Facts.Settings.RenewalReminderDays)
	if at.Before(s.CurrentPeriod.Start) {
		at = s.CurrentPeriod.Start
	}
	return at, true
}

// AnnounceRenewal announces the next renewal, unless it has already begun. Faults: subscription_canceled,
// subscription_past_due.
func (s Situation) AnnounceRenewal(now time.Time) (Decision, error) {
	if err := permit(s.Status, renewalNear); err != nil {
		return Decision{}, err
	}
	boundary, next := s.Boundary(), s.NextTarget().Plan
	s.RemindedFor = boundary
	if !now.Before(boundary) {
		return Decision{Subscription: s.Subscription}, nil
	}
	amount, err := s.RenewsFor(next)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{event.New(event.SubscriptionRenewalReminder{
		Subscription: s.Announced(), PlanID: next.ID, RenewsAt: boundary.Unix(), Amount: int64(amount),
		Currency: string(next.Currency),
	}, now)}}, nil
}
