package subscription

import (
	"cmp"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// ReminderAt says when the next renewal is announced, so that the payer is ready for its prompt: once for each period
// that costs something, some local calendar days before it begins, and in a period that is shorter, when that begins.
// What asks no payer is not announced. ok is false where there is nothing to announce.
func (s Situation) ReminderAt(asksPayer bool) (at time.Time, ok bool) {
	boundary := s.boundary()
	renews := (s.Status == Active && !s.unbegun() || s.Status == Trialing) && !s.CancelAtPeriodEnd
	if !asksPayer || !renews || s.Facts.Settings.RenewalReminderDays == 0 || s.RemindedFor.Equal(boundary) ||
		s.renewsFree() && len(s.PendingLines) == 0 {
		return time.Time{}, false
	}
	at = period.AddDays(boundary, s.schedule().Location, -s.Facts.Settings.RenewalReminderDays)
	if at.Before(s.CurrentPeriod.Start) {
		at = s.CurrentPeriod.Start
	}
	return at, true
}

// AnnounceRenewal announces the next renewal, unless it comes too late for that. Faults: subscription_canceled,
// subscription_past_due.
func (s Situation) AnnounceRenewal(now time.Time) (Decision, error) {
	if err := permit(s.Status, renewalNear); err != nil {
		return Decision{}, err
	}
	boundary, next := s.boundary(), s.Facts.upcoming()
	s.RemindedFor = boundary
	if !now.Before(boundary) {
		return Decision{Subscription: s.Subscription}, nil
	}
	amount, err := s.renewsFor(next)
	if err != nil {
		return Decision{}, err
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{event.New(event.SubscriptionRenewalReminder{
		Subscription: s.announced(), PlanID: next.ID, RenewsAt: boundary.Unix(), Amount: int64(amount),
		Currency: string(next.Currency),
	}, now)}}, nil
}

// renewsFor is what the next period comes to on its plan, with its coupons, the taxes of now and the prorations that
// wait for it.
func (s Period) renewsFor(next plan.Plan) (money.Minor, error) {
	s.Quantity, s.AddOns = cmp.Or(s.PendingQuantity, s.Quantity), s.NextAddOns()
	s.Items = s.billedOn(next)
	waited := s.taken()
	s.CurrentPeriod = s.schedule().Period(s.NextPeriod)
	s.PeriodIndex++
	lines, err := s.opened(next, s.PeriodIndex == 1, waited.lines)
	if err != nil {
		return 0, err
	}
	sums, err := invoice.Draft{Lines: append(lines, waited.lines...), Creditable: waited.creditable}.Sums()
	return max(sums.Total, 0), err
}

// renewsFree reports whether the next period costs nothing.
func (s Period) renewsFree() bool {
	next := s.Facts.upcoming()
	s.AddOns = s.NextAddOns()
	return next.Free() && s.Facts.free(s.billedOn(next), next)
}

// upcoming is the plan of the next period.
func (f Facts) upcoming() plan.Plan {
	if f.Pending != nil {
		return *f.Pending
	}
	return f.Plan
}
