package subscribing

import (
	"perennial/billing/invoice"
	"perennial/billing/metering"
)

// begins opens the first period of a subscription without a trial and, for a start in the past, all later ones up to
// the creation. It returns their lines for one invoice. Separate invoices would be collected one after the other: the
// first unpaid one would stop that, and later periods would go unbilled. passed are the periods before the current one.
// Faults: those of plan.Cost.
func (s *Situation) begins() (all []invoice.Line, passed []metering.Opened, err error) {
	for {
		if by := s.Facts.Settings.Measure(s.Facts.Plan); s.PeriodIndex == 0 && s.Short() {
			s.count(by)
		} else {
			s.open(by)
		}
		renewed(s, s.Facts.Plan)
		lines, err := s.Opened(s.Facts.Plan, s.PeriodIndex == 1, all)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, lines...)
		if s.Boundary().After(s.CreatedAt) {
			return all, passed, nil
		}
		passed = append(passed, metering.Opened{PeriodIndex: s.PeriodIndex, Period: s.CurrentPeriod, Whole: s.Whole()})
	}
}
