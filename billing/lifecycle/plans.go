package lifecycle

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// followPlans sets the plans and add-ons that the subscription is on and changes to in the State. They are known: the
// State or the command has them.
func (d *Decision) followPlans(to subscription.Subscription) error {
	was := d.Subscription
	same := slices.Equal(to.AddOnRefs(), was.AddOnRefs()) && slices.Equal(to.ScheduledRefs(), was.ScheduledRefs())
	if to.Plan() == was.Plan() && to.PendingPlan() == was.PendingPlan() && same {
		return nil
	}
	known := d.known
	now, err := known(to.Plan())
	if err != nil {
		return err
	}
	var pending *plan.Plan
	if to.PendingPlanID != "" {
		next, err := known(to.PendingPlan())
		if err != nil {
			return err
		}
		pending = &next
	}
	addOns, err := Versions(to.AddOnRefs(), known)
	if err != nil {
		return err
	}
	scheduled, err := Versions(to.ScheduledRefs(), known)
	if err != nil {
		return err
	}
	d.Plan, d.PendingPlan, d.AddOns, d.Scheduled = now, pending, addOns, scheduled
	return nil
}

// known returns a version of a plan or an add-on. Fault: plan_missing.
func (d *Decision) known(r plan.Ref) (plan.Plan, error) {
	all := slices.Concat([]plan.Plan{d.Plan}, d.AddOns, d.Scheduled, d.brought)
	if d.PendingPlan != nil {
		all = append(all, *d.PendingPlan)
	}
	return Known(all, r)
}

// Known returns a version from a list of plans. Fault: plan_missing.
func Known(plans []plan.Plan, r plan.Ref) (plan.Plan, error) {
	if i := slices.IndexFunc(plans, func(p plan.Plan) bool { return p.Ref() == r }); i >= 0 {
		return plans[i], nil
	}
	return plan.Plan{}, fault.New(fault.Internal, "plan_missing",
		"Version %d of the plan %s, which a subscription has or changes to, was not loaded.", r.Version, r.ID)
}

// Versions returns the plans of a subscription's versions, for State.AddOns and State.Scheduled. Faults: those of
// known.
func Versions(refs []plan.Ref, known func(plan.Ref) (plan.Plan, error)) ([]plan.Plan, error) {
	var plans []plan.Plan
	for _, r := range refs {
		p, err := known(r)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}
