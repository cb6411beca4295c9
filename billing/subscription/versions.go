package subscription

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

// Plan returns the version of the plan that the subscription is on.
func (s Subscription) Plan() plan.Ref { return plan.Ref{ID: s.PlanID, Version: s.PlanVersion} }

// PendingPlan returns the version of the plan from the period's end on; zero: no change.
func (s Subscription) PendingPlan() plan.Ref {
	return plan.Ref{ID: s.PendingPlanID, Version: s.PendingPlanVersion}
}

// SetPlan sets the version of the plan.
func (s *Subscription) SetPlan(r plan.Ref) { s.PlanID, s.PlanVersion = r.ID, r.Version }

// SetPendingPlan sets the version of the plan from the period's end on; zero: no change.
func (s *Subscription) SetPendingPlan(r plan.Ref) {
	s.PendingPlanID, s.PendingPlanVersion = r.ID, r.Version
}

// ForgetPending removes the change at the period's end.
func (s *Subscription) ForgetPending() {
	s.SetPendingPlan(plan.Ref{})
	s.PendingQuantity, s.PendingAddOns = 0, nil
}

// ErrSuperseded refuses a migration to a plan version that is not the newest. It is final.
var ErrSuperseded = fault.New(fault.Conflict, "plan_version_superseded",
	"The plan has a newer version by now, which its subscriptions are moved to instead.")

// NotAhead refuses a subscription that is on a newer version of the plan or add-on, or will change to one. Fault:
// plan_version_superseded.
func (s Subscription) NotAhead(of plan.Ref) error {
	newer := func(r plan.Ref) bool { return r.ID == of.ID && r.Version > of.Version }
	if newer(s.Plan()) || newer(s.PendingPlan()) || slices.ContainsFunc(s.AddOnRefs(), newer) {
		return ErrSuperseded
	}
	return nil
}

// StaysOn reports whether the subscription is on this version of a plan or an add-on, and will not change to another
// version of it.
func (s Subscription) StaysOn(r plan.Ref) bool {
	other := func(has plan.Ref) bool { return has.ID == r.ID && has != r }
	on := s.Plan() == r || s.AddOns.Find(r.ID) >= 0
	return on && !other(s.Plan()) && s.PendingPlanID != r.ID && !slices.ContainsFunc(s.AddOnRefs(), other)
}
