package subscribing

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// The refusals of a migration to another version of a plan. All are final for the subscription in its present state.
var (
	ErrNotOnPlan = fault.New(fault.Conflict, "subscription_not_on_plan",
		"The subscription is on another plan. Change its plan first.")
	ErrVersionUnchanged = fault.New(fault.Conflict, "plan_version_unchanged",
		"The subscription is on this version of its plan already, or changes to it at the end of the period.")
	ErrLeavesPlan = fault.New(fault.Conflict, "plan_change_scheduled",
		"The subscription changes to another plan, or ends, at the end of the period.")
)

// Migrate moves the subscription to another version of its plan: now, with proration like any change of prices from at
// on (at most now; zero: now), or at the period's end. An archived plan moves its subscriptions too. Faults:
// subscription_canceled, subscription_not_on_plan, plan_version_unchanged, plan_change_scheduled, currency_mismatch,
// payment_in_progress, renewal_due, period_paid_elsewhere, amount_too_large, usage_interval_mismatch, those of
// checkLonger.
func (s Situation) Migrate(to plan.Plan, atPeriodEnd bool, at, now time.Time) (Decision, error) {
	if err := changeable(s, changePlan); err != nil {
		return Decision{}, err
	}
	pending := s.PendingPlan()
	switch {
	case to.ID != s.PlanID:
		return Decision{}, ErrNotOnPlan
	case to.Version == s.PlanVersion && pending.ID != s.PlanID, atPeriodEnd && to.Ref() == pending:
		return Decision{}, ErrVersionUnchanged
	case atPeriodEnd && (s.CancelAtPeriodEnd || pending.ID != "" && pending.ID != s.PlanID):
		return Decision{}, ErrLeavesPlan
	}
	if err := subscription.CheckCurrency(to, s.Currency); err != nil {
		return Decision{}, fault.From(err).In("planVersion")
	}
	present, next := s.Present(), s.Upcoming()
	present.Plan, next.Plan = to, to
	if err := s.Facts.Billable(present, next); err != nil {
		return Decision{}, err
	}
	if pending.ID == "" || pending.ID == s.PlanID { // otherwise another plan comes next
		if err := s.Facts.Aligned(next); err != nil {
			return Decision{}, err
		}
	}
	if pending.ID == s.PlanID { // this migration replaces the waiting one
		s.SetPendingPlan(plan.Ref{})
	}
	if to.Version == s.PlanVersion {
		return s.waits(now), nil
	}
	if atPeriodEnd {
		s.SetPendingPlan(to.Ref())
		return s.waits(now), nil
	}
	return proposal{Situation: s}.changeNow(present, from(at, now), now)
}

// waits returns the decision for another plan, or none, at the period's end.
func (s Situation) waits(now time.Time) Decision {
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "pendingPlanId")}}
}
