package costing

import (
	"cmp"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// RenewsFor is what the next period comes to on its plan, with its coupons, the taxes of now and the prorations that
// wait for it.
func (s Period) RenewsFor(next plan.Plan) (money.Minor, error) {
	s.Quantity, s.AddOns = cmp.Or(s.PendingQuantity, s.Quantity), s.NextAddOns()
	s.Items = s.billedOn(next)
	waited := s.Waiting()
	s.CurrentPeriod = s.Schedule().Period(s.NextPeriod)
	s.PeriodIndex++
	lines, err := s.Opened(next, s.PeriodIndex == 1, waited.Lines)
	if err != nil {
		return 0, err
	}
	sums, err := invoice.Draft{Lines: append(lines, waited.Lines...), Creditable: waited.creditable}.Sums()
	return max(sums.Total, 0), err
}

// RenewsFree reports whether the next period costs nothing.
func (s Period) RenewsFree() bool {
	next := s.Facts.Upcoming()
	s.AddOns = s.NextAddOns()
	return next.Free() && s.Facts.Free(s.billedOn(next), next)
}
