package costing

import (
	"time"

	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// RunsSince returns the index of the first period of the subscription that bills an own period which still runs, of any
// of its items, and the start of the first of those own periods. Where one of them may have been paid in another
// system, it is the present RenewedIndex.
func (s Period) RunsSince(on plan.Plan) (index int, from time.Time) {
	index, from = s.PeriodIndex-1, s.CurrentPeriod.Start
	all := everyInvoice(s, s.PendingLines)
	for _, item := range s.Items {
		own := s.OwnPeriod(s.Facts.holder(on, item.PriceID).Interval)
		if !own.Start.Before(s.CurrentPeriod.Start) {
			continue
		}
		if subscription.BeganElsewhere(s.Subscription, own, item.Joined) {
			return s.RenewedIndex, s.RenewedFrom
		}
		if own.Start.Before(from) {
			from = own.Start
		}
		for _, inv := range all {
			for _, l := range inv.Lines { // also those that were taken back: their money counts
				if l.Kind.BillsTime() && l.Period.End.Equal(own.End) {
					index = min(index, l.PeriodIndex)
				}
			}
		}
	}
	return index, from
}
