package costing

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// RenewsFor returns the cost of the next period on its plan, with its coupons, the present taxes and the prorations
// that wait for it.
func (s Period) RenewsFor(next plan.Plan) (money.Minor, error) {
	t := s.NextTarget()
	if s.PendingDue() && next.Interval != s.Facts.Plan.Interval {
		s.CountAnew(t, s.Boundary())
	}
	s.Quantity, s.AddOns = t.Quantity, t.AddOns
	had, items := s.Items, s.ItemsOn(next)
	s.PeriodIndex++
	if len(s.LongerItems(items, next)) > 0 {
		s.Items = items // their lines are found by their ids
		s.Join(had)
	} else {
		s.Items = s.billedOn(next)
	}
	waited := s.Waiting()
	s.CurrentPeriod = s.Schedule().Period(s.NextPeriod)
	lines, err := s.Opened(next, s.PeriodIndex == 1, waited.Lines)
	if err != nil {
		return 0, err
	}
	sums, err := invoice.Draft{Lines: append(lines, waited.Lines...), Creditable: waited.creditable}.Sums()
	return max(sums.Total, 0), err
}

// CountAnew lets the own periods of all items of a target begin anew at an instant: it becomes the anchor, and the next
// period to open begins there.
func (s *Period) CountAnew(t Target, at time.Time) {
	was := s.Schedule()
	was.Anchor = at
	s.CountBy(s.Facts.Shortest(t), t.Plan.Interval)
	s.AnchorAt, s.NextPeriod = at, 0
	s.RecountDiscounts(was, s.PeriodIndex+1, at)
}

// NextTarget returns the target of the next period. The change at the end of the period is made with it. Another plan,
// quantity or version waits until the own period of the plan ends, where that is later, and so do add-ons that go with
// no other plan; each longer add-on stays until its own period ends.
func (s Period) NextTarget() Target {
	next := s.Upcoming()
	if _, waits := s.WaitingChange(); waits && !s.PendingDue() {
		next.Plan, next.Quantity = s.Facts.Plan, s.Quantity
		if s.Facts.Aligned(next) != nil {
			return s.Present()
		}
	}
	start := s.Boundary()
	for i, a := range s.AddOns {
		every := s.Facts.AddOn(a.Ref).Interval
		if !s.Longer(every) || !s.OwnPeriod(every).End.After(start) || slices.Contains(next.AddOns, a) {
			continue
		}
		if at := next.AddOns.Find(a.ID); at >= 0 {
			next.AddOns = slices.Clone(next.AddOns)
			next.AddOns[at] = a
		} else {
			next.AddOns = slices.Insert(slices.Clone(next.AddOns), min(i, len(next.AddOns)), a)
		}
	}
	return next
}

// Renewal returns what is billed in the next period and those after it.
func (s Period) Renewal() subscription.Billing {
	next := s.NextTarget()
	plans := []plan.Plan{next.Plan}
	for _, a := range next.AddOns {
		plans = append(plans, s.Facts.AddOn(a.Ref))
	}
	return s.Bills(plans...)
}
