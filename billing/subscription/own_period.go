package subscription

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// MaxMultiple bounds the longest interval of a subscription, in its shortest ones: decisions read the invoices since
// the item with the longest one was billed.
const MaxMultiple = 120

// The refusals of intervals that do not go together.
var (
	// ErrAddOnInterval refuses an add-on whose periods would not begin and end with those of the plan and the others.
	ErrAddOnInterval = fault.InvalidParam("planId", "add_on_interval_mismatch",
		"The intervals of a plan and its add-ons must be whole multiples of the shortest one, at most %d times as long: a "+
			"year is 12 months, a week 7 days, and a month is no number of days. Choose an add-on with such an interval.",
		MaxMultiple)
	// ErrLongUsage refuses prices after a period of a plan or an add-on that is not billed in each period.
	ErrLongUsage = fault.InvalidParam("addOns", "usage_interval_mismatch",
		"Usage, prices in arrears and minimums are billed with each period of the subscription, the shortest of its "+
			"intervals. Choose a plan or an add-on that has them in that interval, or none with a shorter one.")
)

// Shortest returns the interval by which a subscription counts: the shortest one of its plan and its add-ons. Where
// some are no multiples of it, CheckIntervals refuses them.
func Shortest(on plan.Plan, addOns []plan.Plan) period.Interval {
	every := on.Interval
	for _, a := range addOns {
		if n, ok := every.Multiple(a.Interval); ok && n > 1 {
			every = a.Interval
		}
	}
	return every
}

// CheckIntervals refuses a plan and add-ons that cannot be billed in periods of an interval. at is the index of the
// add-on; -1: the plan. Faults: add_on_interval_mismatch, usage_interval_mismatch.
func CheckIntervals(on plan.Plan, addOns []plan.Plan, every period.Interval) (at int, err error) {
	for i := -1; i < len(addOns); i++ {
		p := on
		if i >= 0 {
			p = addOns[i]
		}
		n, ok := p.Interval.Multiple(every)
		switch {
		case !ok || n > MaxMultiple:
			return i, ErrAddOnInterval
		case n > 1 && p.AfterPeriod(1) != nil:
			return i, ErrLongUsage
		case n > 1 && on.Metered != nil && on.Metered.Minimum != nil: // it would count the long period with each short one
			return i, ErrLongUsage
		}
	}
	return 0, nil
}

// CountBy sets the interval of its periods, for a plan with an interval of its own.
func (s *Subscription) CountBy(every, ofPlan period.Interval) {
	s.Interval, s.PlanInterval = every, period.Interval{}
	if !ofPlan.SameLength(every) {
		s.PlanInterval = ofPlan
	}
}

// Longer reports whether something with an interval is billed by own periods, which are longer than those of the
// subscription. Zero: no.
func (s Subscription) Longer(every period.Interval) bool {
	return every != (period.Interval{}) && !every.SameLength(s.Interval)
}

// LongerThan reports whether an add-on is billed by a longer interval than a plan.
func LongerThan(on, addOn plan.Plan) bool {
	n, ok := addOn.Interval.Multiple(on.Interval)
	return ok && n > 1
}

// OwnPeriod returns the period of an interval around the start of the current one, counted from the same anchor. Before
// the first period is open it is the current one.
func (s Subscription) OwnPeriod(every period.Interval) period.Period {
	if s.PeriodIndex == 0 || !s.Longer(every) {
		return s.CurrentPeriod
	}
	return s.Schedule().Every(every).Around(s.CurrentPeriod.Start)
}

// PlanPeriod returns the period for which its plan is billed: the current one, or a longer one around it.
func (s Subscription) PlanPeriod() period.Period { return s.OwnPeriod(s.PlanInterval) }

// PlanEnd returns the next boundary at which the period of its plan ends. A subscription that is canceled at the end of
// the period ends then.
func (s Subscription) PlanEnd() time.Time {
	if s.PeriodIndex == 0 || !s.Longer(s.PlanInterval) {
		return s.Boundary()
	}
	return s.PlanPeriod().End
}

// Ends reports whether it ends at the next boundary.
func (s Subscription) Ends() bool { return s.CancelAtPeriodEnd && !s.PlanEnd().After(s.Boundary()) }

// Realign makes the period of a shorter interval around an instant the current one. The anchor and the index stay: the
// period only becomes shorter.
func (s *Subscription) Realign(every, ofPlan period.Interval, at time.Time) {
	was := s.Schedule()
	s.CountBy(every, ofPlan)
	index := s.Schedule().IndexAt(at)
	s.CurrentPeriod, s.NextPeriod = s.Schedule().Period(index), index+1
	s.RecountDiscounts(was, s.PeriodIndex, s.CurrentPeriod.Start)
}
