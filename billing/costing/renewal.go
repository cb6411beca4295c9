package costing

import (
	"cmp"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// RenewsFor returns the cost of the next period on its plan, with its coupons, the present taxes and the prorations
// that wait for it.
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

// Renewal returns what is billed in the next period and those after it.
func (s Period) Renewal() subscription.Billing {
	plans := []plan.Plan{s.Facts.Upcoming()}
	for _, a := range s.NextAddOns() {
		plans = append(plans, s.Facts.AddOn(a.Ref))
	}
	return s.Bills(plans...)
}
