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

// Migration is a request for another version of the plan.
type Migration struct {
	To          plan.Plan
	AtPeriodEnd bool
	At          time.Time // a migration now is prorated from here on, at most now; zero: now
	// Behavior is the treatment of a migration now that costs something; empty: Activate.
	Behavior subscription.PaymentBehavior
	ID       string // of a migration that waits for its payment
}

// Migrate moves the subscription to another version of its plan: now, with proration like any change of prices, or at
// the period's end. An archived plan moves its subscriptions too. With PendPayment a migration that costs something
// waits until its invoice is paid, beside a change to another plan at the end of the period. Faults:
// subscription_canceled, change_pending, subscription_not_on_plan, plan_version_unchanged, plan_change_scheduled,
// currency_mismatch, payment_in_progress, renewal_due, period_paid_elsewhere, amount_too_large,
// usage_interval_mismatch, those of checkLonger; with PendPayment those of checkBehavior and of pend.
func (s Situation) Migrate(m Migration, now time.Time) (Decision, error) {
	to, atPeriodEnd, was := m.To, m.AtPeriodEnd, s
	c := Change{Plan: &to, AtPeriodEnd: atPeriodEnd, Behavior: m.Behavior, ID: m.ID}
	if err := c.checkBehavior(s.Subscription); err != nil {
		return Decision{}, err
	}
	if err := changeable(s, changePlan); err != nil {
		return Decision{}, err
	}
	pending := s.PendingPlan()
	if err := moves(s.Subscription, to, atPeriodEnd); err != nil {
		return Decision{}, err
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
	at := from(m.At, now)
	made, err := proposal{Situation: s}.changeNow(present, at, now)
	if err != nil || !m.Behavior.Waits() {
		return made, err
	}
	return pend(was, c, present, made, at, now)
}

// moves refuses a version to which a subscription cannot move, or moves already. Faults: subscription_not_on_plan,
// plan_version_unchanged, plan_change_scheduled, currency_mismatch.
func moves(s subscription.Subscription, to plan.Plan, atPeriodEnd bool) error {
	pending := s.PendingPlan()
	switch {
	case to.ID != s.PlanID:
		return ErrNotOnPlan
	case to.Version == s.PlanVersion && pending.ID != s.PlanID, atPeriodEnd && to.Ref() == pending:
		return ErrVersionUnchanged
	case atPeriodEnd && (s.CancelAtPeriodEnd || pending.ID != "" && pending.ID != s.PlanID):
		return ErrLeavesPlan
	}
	if err := subscription.CheckCurrency(to, s.Currency); err != nil {
		return fault.From(err).In("planVersion")
	}
	return nil
}

// waits returns the decision for another plan, or none, at the period's end.
func (s Situation) waits(now time.Time) Decision {
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "pendingPlanId")}}
}
