package costing

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// Closing is the invoice of a cancellation that gives unused time back. It treats the end like a change to a plan that
// costs nothing: the open invoice of the current period is taken in, the unused time is credited, and the period costs
// its used part. A total below zero goes back, one above it stays payable. There is no invoice where no unused time was
// billed: in a trial, in a skipped period, and in one that is over, even if the next is not opened yet, or because of a
// pause, which has settled the unused time.
func (s Period) Closing(now time.Time) ([]invoice.Draft, error) {
	now = now.UTC().Truncate(time.Second)
	if s.Status == subscription.Paused || !s.CurrentPeriod.Contains(now) {
		return nil, nil
	}
	if err := s.CheckCreditable(s.Items); err != nil {
		return nil, err
	}
	unused, err := s.Unused(now)
	if err != nil {
		return nil, err
	}
	left, err := s.UnusedTime(s.Items, unused, now)
	if err != nil {
		return nil, err
	}
	closing := invoice.Draft{
		Reason: invoice.Update, Period: period.Period{Start: s.CurrentPeriod.Start, End: now}, PeriodIndex: s.PeriodIndex,
		Lines: left.Lines, Replaces: left.Replaces, Creditable: left.Creditable,
	}
	sums, err := closing.Sums()
	if err != nil {
		return nil, err
	}
	closing.Refund = max(s.overpaid(s.Facts.Paid)-sums.Total, 0)
	switch {
	case left.Credit == 0 && closing.Refund == 0:
		return nil, nil
	case left.Credit == 0: // only credit of this period's changes goes back: the invoice says so with lines of nothing
		items, err := s.lines(s.Items, s.Facts.Plan)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			left, err := unused.spanOf(item)
			if err != nil {
				return nil, err
			}
			nothing := explained(nothingUsed(item.Line, now), s.part(item, left), left.Of(item.Amount))
			closing.Lines = append(closing.Lines, nothing)
		}
	}
	return []invoice.Draft{closing}, nil
}

// overpaid returns by how much the money captured since the schedule opened a period exceeds the totals of the paid
// invoices: the amount that changes of plan since then have put into the customer's balance. Below zero, earlier credit
// paid a part. Less the total of the closing invoice, this is the captured money less the cost of the used time, which
// goes back as money, whatever the path of changes. The part that earlier credit paid stays credit, also where credits
// of earlier periods are on the invoice itself. Amounts brought forward or billed for earlier periods were paid for
// those.
func (s Period) overpaid(paid []invoice.Invoice) money.Minor {
	var sum money.Minor
	for _, inv := range paid {
		if s.Spans(inv) {
			own := spanning(s.RenewedIndex).own(inv)
			sum += inv.AmountPaid - inv.BroughtForward - max(inv.Total, own.Total) + inv.Credited.Due
		}
	}
	return sum
}

// LastInvoice bills the prorations that wait for the next invoice when the subscription ends: for their time, whichever
// period it ends in.
func (s Period) LastInvoice() []invoice.Draft {
	of := spanned(s.PendingLines)
	if end := s.CurrentPeriod.End; of.End.After(end) && of.Start.Before(end) { // a longer own period
		of.End = end
	}
	last := s.Billed(invoice.Update, of, nil, s.Waiting())
	for i := range last {
		last[i].Last = true
	}
	return last
}

// spanned is the time from the first begin of some lines to their last end.
func spanned(lines []invoice.Line) (out period.Period) {
	for i, l := range lines {
		if i == 0 || l.Period.Start.Before(out.Start) {
			out.Start = l.Period.Start
		}
		if i == 0 || l.Period.End.After(out.End) {
			out.End = l.Period.End
		}
	}
	return out
}
