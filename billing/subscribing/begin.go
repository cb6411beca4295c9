package subscribing

import (
	"perennial/billing/invoice"
	"perennial/billing/metering"
)

// begins opens the first period of a subscription without a trial and, where it began before it was created, those that
// had passed by then, up to the one that ran. It returns what they cost: one invoice bills them all. An invoice each
// would be collected one after the other, and the first that is not paid would end that, with time lost that was to be
// billed. passed are the periods before the current one. Faults: those of plan.Cost.
func (s *Situation) begins() (all []invoice.Line, passed []metering.Opened, err error) {
	for {
		if by := s.Facts.Settings.Measure(s.Facts.Plan); s.PeriodIndex == 0 && s.Short() {
			s.count(by)
		} else {
			s.open(by)
		}
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
