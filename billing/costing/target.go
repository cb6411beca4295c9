package costing

import (
	"cmp"
	"errors"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Target is the plan, quantity and add-ons that a subscription is, or would be, billed for.
type Target struct {
	Plan     plan.Plan
	Quantity int64
	AddOns   subscription.AddOns
}

// Of reports whether a subscription is billed for this already, on whichever version of its plan.
func (t Target) Of(s subscription.Subscription) bool {
	return t.Plan.ID == s.PlanID && t.Quantity == s.Quantity && slices.Equal(t.AddOns, s.AddOns)
}

// Present returns the target of the current period.
func (s Period) Present() Target {
	return Target{Plan: s.Facts.Plan, Quantity: s.Quantity, AddOns: s.AddOns}
}

// Upcoming returns the target from the next period on.
func (s Period) Upcoming() Target {
	return Target{Plan: s.Facts.Upcoming(), Quantity: cmp.Or(s.PendingQuantity, s.Quantity), AddOns: s.NextAddOns()}
}

// Changed returns the target after a change.
func (f Facts) Changed(t Target, c subscription.ScheduledChange) Target {
	if c.Plan.ID != "" && c.Plan.ID != t.Plan.ID {
		t.Plan = f.Version(c.Plan)
	}
	if c.Quantity != 0 {
		t.Quantity = c.Quantity
	}
	if c.AddOns != nil {
		t.AddOns = *c.AddOns
	}
	return t
}

// FirstCost returns the cost of the first period: a whole one, and the fees of the plan. Fault: amount_too_large.
func (f Facts) FirstCost(t Target) (money.Minor, error) {
	total, err := t.Plan.First(t.Quantity)
	for _, a := range t.AddOns {
		if err != nil {
			break
		}
		var cost money.Minor
		if cost, err = f.AddOn(a.Ref).Total(a.Quantity); err == nil {
			total, err = money.Sum(total, cost)
		}
	}
	return total, err
}

// Billable refuses what could not be billed: nothing may stop a renewal later. Fault: amount_too_large.
func (f Facts) Billable(all ...Target) error {
	for _, t := range all {
		if _, err := f.FirstCost(t); err != nil {
			return err
		}
	}
	return nil
}

// Aligned refuses add-ons that cannot be billed with the plan. Faults: add_ons_other_interval,
// usage_interval_mismatch.
func (f Facts) Aligned(t Target) error {
	_, err := f.intervalOf(t, f.Shortest(t))
	return err
}

// Shortest returns the interval by which a subscription counts that is billed for a target.
func (f Facts) Shortest(t Target) period.Interval {
	return subscription.Shortest(t.Plan, f.versions(t))
}

func (f Facts) intervalOf(t Target, every period.Interval) (period.Interval, error) {
	_, err := subscription.CheckIntervals(t.Plan, f.versions(t), every)
	if errors.Is(err, subscription.ErrAddOnInterval) {
		err = subscription.ErrAddOnsStay
	}
	return every, err
}

// versions returns the versions of the add-ons of a target.
func (f Facts) versions(t Target) []plan.Plan {
	all := make([]plan.Plan, len(t.AddOns))
	for i, a := range t.AddOns {
		all[i] = f.AddOn(a.Ref)
	}
	return all
}

// Counts returns the interval by which the subscription counts with a target, from a time within its current period or
// from the next boundary on. A shorter interval counts at once. A longer one waits until a period of it begins, so that
// the present one is not counted again. begins: one begins with the target. Faults: add_ons_other_interval,
// usage_interval_mismatch.
func (s Period) Counts(t Target, begins bool) (period.Interval, error) {
	every := s.Facts.Shortest(t)
	if n, ok := every.Multiple(s.Interval); !begins && ok && n > 1 {
		every = s.Interval
	} else if _, ok := s.Interval.Multiple(every); !begins && !ok {
		return every, subscription.ErrAddOnsStay
	}
	return s.Facts.intervalOf(t, every)
}

// Renewable refuses what could not be billed with the next period: amount_too_large.
func (s Period) Renewable(next Target) error {
	total, err := s.Facts.FirstCost(next)
	if err != nil {
		return err
	}
	waits, err := invoice.Sum(s.PendingLines)
	if err == nil {
		_, err = money.Sum(total, max(waits, 0))
	}
	return err
}

// CheckBillable refuses a subscription that was made elsewhere where its present or its next period could not be
// billed. Faults: amount_too_large, add_ons_other_interval, usage_interval_mismatch.
func (s Period) CheckBillable() error {
	if _, err := s.Facts.FirstCost(s.Present()); err != nil {
		return fault.From(err).In("quantity")
	}
	next := s.Upcoming()
	if _, err := s.Facts.FirstCost(next); err != nil {
		return fault.From(err).In("pendingQuantity")
	}
	return s.Facts.Aligned(next)
}
