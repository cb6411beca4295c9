package costing

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// AtEnd returns what a subscription gives back of longer own periods when it ends at a boundary, because its plan ends
// there. last is the last invoice: what paid invoices and waiting lines bill of the rest, and the open invoice of the
// current period, which it replaces. It was not asked for as a refund, so that it becomes credit. reduced replace older
// open invoices by what of them was used. There are none where nothing is left of longer periods. An open invoice with
// credit notes stays as it is.
func (s Period) AtEnd(at time.Time) (last, reduced []invoice.Draft, err error) {
	longer := s.LongerItems(s.Items, s.Facts.Plan)
	if len(longer) == 0 {
		return nil, nil, nil
	}
	unused := Left{of: func(own period.Period) (proration.Span, error) {
		if !own.Contains(at) {
			return proration.Span{Length: 1}, nil
		}
		return s.ProrationMeasure.Unused(own, at, s.Location())
	}}
	noted := func(inv invoice.Invoice) bool { return inv.Credited != (invoice.Credited{}) }
	s.Facts.Open = slices.DeleteFunc(slices.Clone(s.Facts.Open), noted)
	left, err := s.UnusedTime(longer, unused, at)
	if err != nil {
		return nil, nil, err
	}
	if left.Credit != 0 {
		last = []invoice.Draft{{
			Reason: invoice.Update, Period: period.Period{Start: s.CurrentPeriod.Start, End: at}, PeriodIndex: s.PeriodIndex,
			Lines: left.Lines, Replaces: left.Replaces, Creditable: left.Creditable, Last: true,
		}}
	}
	for _, inv := range s.Facts.Open {
		if inv.PeriodIndex == s.PeriodIndex || inv.Reason == invoice.Usage {
			continue
		}
		one, err := s.toUsed(inv, longer, unused, at)
		if err != nil {
			return nil, nil, err
		}
		reduced = append(reduced, one...)
	}
	return last, reduced, nil
}

// toUsed replaces an open invoice from before the current period by one that also credits the unused time of items,
// where that is on it.
func (s Period) toUsed(
	inv invoice.Invoice, items []subscription.Item, unused Left, at time.Time,
) ([]invoice.Draft, error) {
	credits, err := s.credits(append(s.issued(), inv), items, unused, at)
	if err != nil {
		return nil, err
	}
	lines := slices.Clone(inv.Lines)
	for _, c := range credits {
		if slices.ContainsFunc(inv.Lines, func(l invoice.Line) bool { return l.ID == c.Reverses }) {
			lines = append(lines, c)
		}
	}
	if len(lines) == len(inv.Lines) {
		return nil, nil
	}
	return []invoice.Draft{{
		Reason: invoice.Update, Period: inv.Period, PeriodIndex: inv.PeriodIndex, Lines: lines, Replaces: inv.ID,
		Creditable: s.creditable(lines), Last: true, After: inv.ID,
	}}, nil
}
