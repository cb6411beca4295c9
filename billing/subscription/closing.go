package subscription

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
)

// closing is the invoice of a cancellation that gives unused time back. It treats the end like a change to a plan that
// costs nothing: what is open of the current period is taken in, the unused time is taken back, and what the period
// costs is what was used of it. Below zero the rest goes back, above it stays payable. There is none where no unused
// time was billed: in a trial, in a period that was skipped, and in one that is over, even where the next is not opened
// yet, or because of a pause, which has settled what was unused.
func (s Period) closing(now time.Time) ([]invoice.Draft, error) {
	now = now.UTC().Truncate(time.Second)
	if s.Status == Paused || !s.CurrentPeriod.Contains(now) {
		return nil, nil
	}
	unused, err := s.unused(now)
	if err != nil {
		return nil, err
	}
	left, err := s.unusedTime(s.Items, unused, now)
	if err != nil {
		return nil, err
	}
	closing := invoice.Draft{
		Reason: invoice.Update, Period: period.Period{Start: s.CurrentPeriod.Start, End: now}, PeriodIndex: s.PeriodIndex,
		Lines: left.lines, Replaces: left.replaces, Creditable: left.creditable,
	}
	sums, err := closing.Sums()
	if err != nil {
		return nil, err
	}
	closing.Refund = max(s.overpaid(s.Facts.Paid)-sums.Total, 0)
	switch {
	case left.credit == 0 && closing.Refund == 0:
		return nil, nil
	case left.credit == 0: // only credit of this period's changes goes back: the invoice says so with lines of nothing
		items, err := s.lines(s.Items, s.Facts.Plan)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			closing.Lines = append(closing.Lines, s.nothingUsed(item, now))
		}
	}
	return []invoice.Draft{closing}, nil
}

// overpaid is by how much the money captured since the schedule opened a period exceeds what the paid invoices come to:
// what the changes of plan since then have put into the customer's balance. Below zero, earlier credit paid for some of
// it. Less what the closing invoice comes to, that is the money captured less the cost of the time used, which is what
// goes back as money, whatever the path of changes; what earlier credit paid stays credit, also where credits of
// earlier periods are on the invoice itself. What was brought forward, or billed of earlier periods, was paid for
// those.
func (s Period) overpaid(paid []invoice.Invoice) money.Minor {
	var sum money.Minor
	for _, inv := range paid {
		if s.Spans(inv) {
			sum += inv.AmountPaid - inv.BroughtForward - max(inv.Total, s.own(inv).Total) + inv.Credited.Due
		}
	}
	return sum
}
