package costing

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/plan"
)

// continues reports whether a line bills a longer own period that began before the current one.
func continues(s Period, on plan.Plan, l invoice.Line) bool {
	every := s.Facts.holder(on, l.PriceID).Interval
	return s.Longer(every) && s.OwnPeriod(every).Start.Before(s.CurrentPeriod.Start)
}

// replaced returns the credits of own periods that a change goes on to bill: its own credits, and for an item that was
// removed and joins again, the last one of an earlier change.
func replaced(s Period, on plan.Plan, credits, charge []invoice.Line) []invoice.Line {
	var all []invoice.Line
	for _, l := range charge {
		if !continues(s, on, l) {
			continue
		}
		ends := func(c invoice.Line) bool { return c.Period.End.Equal(l.Period.End) }
		if slices.ContainsFunc(all, ends) {
			continue
		}
		for _, c := range credits {
			if ends(c) {
				all = append(all, c)
			}
		}
		if last, ok := lastCredit(s, l); ok && !slices.ContainsFunc(all, ends) {
			all = append(all, last)
		}
	}
	return all
}

// lastCredit returns the last credit of an item for the own period that a line bills; ok is false where there is none.
func lastCredit(s Period, l invoice.Line) (last invoice.Line, ok bool) {
	for _, inv := range everyInvoice(s, s.PendingLines) {
		for _, c := range inv.Lines {
			if c.Kind == invoice.ProrationCredit && c.ItemID == l.ItemID && c.Period.End.Equal(l.Period.End) &&
				(!ok || !c.Period.Start.Before(last.Period.Start)) {
				last, ok = c, true
			}
		}
	}
	return last, ok
}

// firstBilled returns the index of the first period with a line for an own period that ends at an instant.
func firstBilled(s Period, end time.Time) int {
	index := s.PeriodIndex
	for _, inv := range everyInvoice(s, s.PendingLines) {
		for _, l := range inv.Lines {
			if l.Kind.BillsTime() && l.Period.End.Equal(end) {
				index = min(index, l.PeriodIndex)
			}
		}
	}
	return index
}
