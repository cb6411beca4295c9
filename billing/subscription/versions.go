package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

// Plan names the version of the plan that the subscription is on.
func (s Subscription) Plan() plan.Ref { return plan.Ref{ID: s.PlanID, Version: s.PlanVersion} }

// PendingPlan names the version of the plan that it changes to at the period's end; zero: it stays.
func (s Subscription) PendingPlan() plan.Ref {
	return plan.Ref{ID: s.PendingPlanID, Version: s.PendingPlanVersion}
}

// SetPlan puts the subscription on a version of a plan.
func (s *Subscription) SetPlan(r plan.Ref) { s.PlanID, s.PlanVersion = r.ID, r.Version }

// SetPendingPlan has the subscription change to a version of a plan at the period's end; zero: it stays.
func (s *Subscription) SetPendingPlan(r plan.Ref) {
	s.PendingPlanID, s.PendingPlanVersion = r.ID, r.Version
}

// ForgetPending leaves the next period as the present one.
func (s *Subscription) ForgetPending() {
	s.SetPendingPlan(plan.Ref{})
	s.PendingQuantity, s.PendingAddOns = 0, nil
}

// ErrSuperseded refuses a migration to a version of a plan that has a newer one. It is final.
var ErrSuperseded = fault.New(fault.Conflict, "plan_version_superseded",
	"The plan has a newer version by now, which its subscriptions are moved to instead.")

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
	on := s.Plan() == r || s.AddOns.Find(r.ID) >= 0
	return on && !other(s.Plan()) && s.PendingPlanID != r.ID && !slices.ContainsFunc(s.AddOnRefs(), other)
}
