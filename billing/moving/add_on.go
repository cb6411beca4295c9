package moving

import (
	"slices"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// sell gives a subscription its add-ons, including archived ones: sold add-ons continue. Faults: plan_is_add_on, those
// of subscription.Sell, add_ons_other_interval, amount_too_large.
func (in Setting) sell(s *subscription.Subscription) error {
	if in.Plan.AddOn {
		return subscription.ErrPlanIsAddOn.In("plan")
	}
	next := in.Plan
	if in.Pending != nil {
		next = *in.Pending
		if next.AddOn {
			return subscription.ErrPlanIsAddOn.In("pendingPlan")
		}
	}
	var err error
	if s.AddOns, err = subscription.Sell(in.AddOns, in.Plan); err != nil {
		return err
	}
	if in.PendingAddOns != nil {
		pending, err := subscription.Sell(*in.PendingAddOns, next)
		if err != nil {
			return fault.From(err).In("pendingAddOns")
		}
		s.PendingAddOns = &pending
	}
	longer := func(c subscription.Chosen) bool { return subscription.LongerThan(in.Plan, c.AddOn) }
	if in.Pending != nil && in.Pending.Interval != in.Plan.Interval && s.Status != subscription.Trialing &&
		slices.ContainsFunc(in.AddOns, longer) {
		return subscribing.ErrLongAddOn
	}
	facts := costing.Facts{Plan: in.Plan, Pending: in.Pending, AddOns: in.Known()}
	return subscribing.With(*s, facts).CheckBillable()
}

// Known returns the add-ons of the record.
func (in Setting) Known() []plan.Plan {
	all := in.AddOns
	if in.PendingAddOns != nil {
		all = slices.Concat(all, *in.PendingAddOns)
	}
	return subscription.PlansOf(all)
}

// Bills returns the billing of the imported subscription's present periods.
func (in Setting) Bills(s subscription.Subscription) subscription.Billing {
	return s.Bills(slices.Concat([]plan.Plan{in.Plan}, subscription.PlansOf(in.AddOns))...)
}
