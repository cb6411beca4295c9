package subscription

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
)

// The refusals of a migration to another version of a plan. All are final for the subscription as it is.
var (
	ErrNotOnPlan = fault.New(fault.Conflict, "subscription_not_on_plan",
		"The subscription is on another plan. Change its plan first.")
	ErrVersionUnchanged = fault.New(fault.Conflict, "plan_version_unchanged",
		"The subscription is on this version of its plan already, or changes to it at the end of the period.")
	ErrSuperseded = fault.New(fault.Conflict, "plan_version_superseded",
		"The plan has a newer version by now, which its subscriptions are moved to instead.")
	ErrLeavesPlan = fault.New(fault.Conflict, "plan_change_scheduled",
		"The subscription changes to another plan, or ends, at the end of the period.")
)

// Migrate moves the subscription to another version of its plan: now, with proration like any change of prices, or at
// the period's end. Also a plan that is archived keeps its subscriptions and moves them. Faults: subscription_canceled,
// subscription_not_on_plan, plan_version_unchanged, plan_change_scheduled, currency_mismatch, payment_in_progress,
// renewal_due, period_paid_elsewhere, amount_too_large.
func (s Situation) Migrate(to plan.Plan, atPeriodEnd bool, now time.Time) (Decision, error) {
	if err := permit(s.Status, changePlan); err != nil {
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
	if err := CheckCurrency(to, s.Currency); err != nil {
		return Decision{}, fault.From(err).In("planVersion")
	}
	present, next := s.present(), s.next()
	present.plan, next.plan = to, to
	if err := s.Facts.billable(present, next); err != nil {
		return Decision{}, err
	}
	if pending.ID == s.PlanID { // another migration, which this one replaces
		s.setPendingPlan(plan.Ref{})
	}
	if to.Version == s.PlanVersion {
		return s.waits(now), nil
	}
	if atPeriodEnd {
		s.setPendingPlan(to.Ref())
		return s.waits(now), nil
	}
	return proposal{Situation: s}.changeNow(present, now.UTC().Truncate(time.Second), now)
}

// NotAhead refuses a subscription that is on a newer version of the plan or add-on than this one, or waits for one.
// Fault: plan_version_superseded.
func (s Subscription) NotAhead(of plan.Ref) error {
	newer := func(r plan.Ref) bool { return r.ID == of.ID && r.Version > of.Version }
	if newer(s.Plan()) || newer(s.PendingPlan()) || slices.ContainsFunc(s.AddOnRefs(), newer) {
		return ErrSuperseded
	}
	return nil
}

// StaysOn reports whether the subscription is on this version of a plan or an add-on, and waits for no other version of
// it.
func (s Subscription) StaysOn(r plan.Ref) bool {
	other := func(has plan.Ref) bool { return has.ID == r.ID && has != r }
	on := s.Plan() == r || s.AddOns.find(r.ID) >= 0
	return on && !other(s.Plan()) && s.PendingPlanID != r.ID && !slices.ContainsFunc(s.AddOnRefs(), other)
}

// waits is the decision of another plan, or none, at the period's end.
func (s Situation) waits(now time.Time) Decision {
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.updated(now, "pendingPlanId")}}
}
