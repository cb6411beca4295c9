package subscribing

import (
	"cmp"
	"slices"

	"perennial/billing/costing"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// proposal is a subscription during a change: it already has the changes at the period's end, and the names of these
// fields.
type proposal struct {
	Situation
	fields []string
	how    subscription.ProrationBehavior
	// restarts: the period restarts, also where the interval does not change.
	restarts bool
}

// renewsOn returns the billing of the next period after a change.
func (s proposal) renewsOn(c Change, to costing.Target) costing.Target {
	to.Plan = c.next(s.Facts, to.Plan)
	to.Quantity = cmp.Or(s.PendingQuantity, to.Quantity)
	if s.PendingAddOns != nil {
		to.AddOns = *s.PendingAddOns
	}
	return to
}

// next returns the plan of the next period after a change.
func (c Change) next(f costing.Facts, to plan.Plan) plan.Plan {
	if c.Plan == nil && f.Pending != nil {
		return *f.Pending
	}
	return to
}

// propose returns the target of a change, and the subscription with the changes at the period's end. A request for the
// present state withdraws a waiting change, also on an archived plan. A request for the present plan or add-on keeps
// its version.
func (s Situation) propose(c Change) (to costing.Target, out proposal, err error) {
	to, out = s.Present(), proposal{Situation: s, how: c.Proration}
	if c.Plan != nil {
		if to.Plan, err = out.askPlan(c); err != nil {
			return to, out, err
		}
	}
	if c.Quantity != 0 {
		if to.Quantity, err = out.askQuantity(c); err != nil {
			return to, out, err
		}
	}
	if c.AddOns != nil {
		beside := to.Plan
		if c.AtPeriodEnd {
			beside = c.next(s.Facts, to.Plan)
		}
		if to.AddOns, err = out.askAddOns(c, beside); err != nil {
			return to, out, err
		}
	}
	if len(out.fields) == 0 && to.Of(s.Subscription) {
		return to, out, c.unchanged()
	}
	return to, out, nil
}

// unchanged returns the refusal of a change without effect.
func (c Change) unchanged() error {
	switch {
	case c.Plan != nil:
		return ErrPlanUnchanged
	case c.Quantity == 0 && c.AddOns != nil:
		return subscription.ErrAddOnsUnchanged
	default:
		return ErrQuantityUnchanged
	}
}

// askPlan applies the requested plan. Faults: those of subscribable, currency_mismatch.
func (s *proposal) askPlan(c Change) (plan.Plan, error) {
	to := s.Facts.Plan
	if c.Plan.ID != s.PlanID {
		to = *c.Plan
		if err := s.offered(to); err != nil {
			return to, err
		}
	}
	var pending plan.Ref
	if c.AtPeriodEnd && to.ID != s.PlanID {
		pending = to.Ref()
	}
	if pending != s.PendingPlan() || pending.ID != "" {
		s.fields = append(s.fields, "pendingPlanId")
	}
	s.SetPendingPlan(pending)
	return to, nil
}

// askQuantity applies the requested quantity. Fault: quantity_out_of_range.
func (s *proposal) askQuantity(c Change) (int64, error) {
	if err := subscription.CheckQuantity(c.Quantity); err != nil {
		return 0, err
	}
	var pending int64
	if c.AtPeriodEnd && c.Quantity != s.Quantity {
		pending = c.Quantity
	}
	if pending != s.PendingQuantity || pending != 0 {
		s.fields = append(s.fields, "pendingQuantity")
	}
	s.PendingQuantity = pending
	return c.Quantity, nil
}

// movesBeside returns what still waits for the end of the period beside other add-ons now: moves to other versions.
func movesBeside(s subscription.Subscription, present subscription.AddOns) *subscription.AddOns {
	next := present
	for _, waiting := range s.NextAddOns() {
		next = next.WithVersion(waiting.Ref)
	}
	return subscription.PendingAddOns(present, next)
}

// askAddOns applies the requested add-ons, with the plan that they would be billed with. A waiting move of an add-on to
// another version stays, since only an operator may withdraw it. Faults: those of AddOns.Choose.
func (s *proposal) askAddOns(c Change, beside plan.Plan) (subscription.AddOns, error) {
	has := s.AddOns
	if c.AtPeriodEnd { // with add-ons that would be removed: the request withdraws that
		has = slices.Concat(s.NextAddOns(), s.AddOns)
	}
	to, err := has.Choose(s.Facts.AddOn, *c.AddOns, beside)
	if err != nil {
		return nil, err
	}
	to = to.Ordered(s.NextAddOns()).Ordered(s.AddOns)
	had := s.PendingAddOns
	if c.AtPeriodEnd {
		s.PendingAddOns = subscription.PendingAddOns(s.AddOns, to)
	} else {
		s.PendingAddOns = movesBeside(s.Subscription, to)
	}
	if had != nil || s.PendingAddOns != nil {
		s.fields = append(s.fields, "pendingAddOns")
	}
	return to, nil
}
