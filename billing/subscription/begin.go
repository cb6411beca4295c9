package subscription

import (
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// begins opens the first period of a subscription without a trial and, where it began before it was created, those that
// had passed by then, up to the one that ran. It returns what they cost: one invoice bills them all. An invoice each
// would be collected one after the other, and the first that is not paid would end that, with time lost that was to be
// billed. Faults: those of plan.Cost.
func (s *Situation) begins() (all []invoice.Line, err error) {
	for {
		if by := s.Facts.Settings.measure(s.Facts.Plan); s.PeriodIndex == 0 && s.short() {
			s.count(by)
		} else {
			s.open(by)
		}
		lines, err := s.opened(s.Facts.Plan, s.PeriodIndex == 1, all)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
		if s.boundary().After(s.CreatedAt) {
			return all, nil
		}
	}
}

// short reports whether the current period is the first one and ends at an anchor that is later than the start. A trial
// ends at its anchor too, and costs nothing.
func (s Subscription) short() bool {
	return s.Status != Trialing && s.CurrentPeriod.Start.Before(s.AnchorAt) && s.CurrentPeriod.End.Equal(s.AnchorAt)
}

// whole is the period that is divided where the current one is: itself, or the interval that a short first one is the
// end of.
func (s Subscription) whole() period.Period {
	if s.PeriodIndex > 0 && s.short() {
		return s.schedule().Period(beforeAnchor)
	}
	return s.CurrentPeriod
}

// opened returns what the current period costs on a plan, with the fees where it is the first, less its coupons: whole,
// but for a first one that is short. with are the other lines of its invoice. Faults: those of plan.Cost.
func (s Period) opened(on plan.Plan, first bool, with []invoice.Line) (lines []invoice.Line, err error) {
	switch {
	case s.UnproratedIndex == s.PeriodIndex: // free until the anchor
	case s.short():
		lines, err = s.restOfPeriod(s.Items, on, s.CurrentPeriod.Start)
	default:
		lines, err = s.wholePeriod(s.Items, on)
	}
	if err != nil {
		return nil, err
	}
	if first {
		fees, err := s.fees(on)
		if err != nil {
			return nil, err
		}
		lines = append(lines, fees...)
	}
	return s.discounted(with, lines)
}
