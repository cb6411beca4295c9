package subscription

import (
	"perennial/billing/invoice"
	"perennial/billing/plan"
)

// begins opens the first period of a subscription without a trial and, where it began before it was created, those that
// had passed by then, up to the one that ran. It returns what they cost: one invoice bills them all. An invoice each would
// be collected one after the other, and the first that is not paid would end that, with time lost that was to be billed.
// Faults: those of plan.Cost.
func (s *Subscription) begins(f Facts) (all []invoice.Line, err error) {
	for {
		s.open(f.Settings.measure(f.Plan))
		lines, err := s.opened(f, f.Plan, s.PeriodIndex == 1, all)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
		if s.boundary().After(s.CreatedAt) {
			return all, nil
		}
	}
}

// opened returns what the current period costs on a plan: whole, with the fees where it is the first, less its coupons.
// with are the other lines of its invoice. Faults: those of plan.Cost.
func (s Subscription) opened(f Facts, on plan.Plan, first bool, with []invoice.Line) ([]invoice.Line, error) {
	lines, err := s.wholePeriod(f, s.Items, on)
	if err != nil {
		return nil, err
	}
	if first {
		fees, err := s.fees(f, on)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fees...)
	}
	return s.discounted(f, with, lines)
}
