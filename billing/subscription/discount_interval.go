package subscription

import (
	"slices"
	"time"

	"perennial/billing/discount"
	"perennial/billing/period"
)

// RecountDiscounts keeps the time that is left of repeating coupons where the interval of the periods has changed:
// three years become 36 months, and three months one year, as many periods as begin in that time. was is the schedule
// before, from the start of the period with an index, of which the former count says whether it has the coupon. Before
// the first period nothing is counted yet.
func (s *Subscription) RecountDiscounts(was period.Schedule, index int, from time.Time) {
	is := s.Schedule()
	if s.PeriodIndex == 0 || is.Interval.SameLength(was.Interval) {
		return
	}
	s.Discounts = slices.Clone(s.Discounts)
	for i, d := range s.Discounts {
		left, _ := d.Left(index)
		if d.Duration != discount.Repeating || left == 0 {
			continue
		}
		first := was.IndexAt(from) + max(d.From-index, 0)
		begin, end := was.Boundary(first), was.Boundary(first+left)
		if begin.Before(from) { // a shorter period is the current one now
			begin = from
		}
		s.Discounts[i].Extra += is.IndexAt(end.Add(-time.Second)) - is.IndexAt(begin) + 1 - left
	}
}
