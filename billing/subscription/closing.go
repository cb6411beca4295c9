package subscription

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
)

// closing is the invoice of a cancellation that gives unused time back. It treats the end like a change to a plan that
// costs nothing: what is open of the current period is taken in, the unused time is taken back, and what the period costs
// is what was used of it. Below zero the rest goes back, above it stays payable. There is none where no unused time was
// billed: in a trial, in a period that was skipped, and in one that is over, even where the next is not opened yet.
func (s Subscription) closing(f Facts, now time.Time) ([]invoice.Draft, error) {
	now = now.UTC().Truncate(time.Second)
	if !s.CurrentPeriod.Contains(now) {
		return nil, nil
	}
	left, err := s.leaving(f, now)
	if err != nil || left.credit == 0 {
		return nil, err
	}
	total, err := invoice.Sum(left.lines)
	if err != nil {
		return nil, err
	}
	used := period.Period{Start: s.CurrentPeriod.Start, End: now}
	return []invoice.Draft{{
		Reason: invoice.Update, Period: used, Lines: left.lines, Replaces: left.replaces,
		Refund: min(max(-total, 0), s.moneyIn(f.Paid, left.lines)),
	}}, nil
}

// moneyIn is how much money is in what paid for the current period: no more can be refunded, and what became credit, or
// was paid by credit, stays credit. What was paid for the period before counts too where a change of interval cut that
// short and took its time back: the end of the line that does so tells which period it was.
func (s Subscription) moneyIn(paid []invoice.Invoice, lines []invoice.Line) money.Minor {
	ends := map[int64]bool{s.CurrentPeriod.End.Unix(): true}
	follow := func(lines []invoice.Line) {
		for _, l := range lines {
			if l.Kind == invoice.ProrationCredit {
				ends[l.Period.End.Unix()] = true
			}
		}
	}
	follow(lines)
	var sum money.Minor
	for _, inv := range slices.Backward(paid) { // whatever an invoice takes back was billed by an earlier one
		if ends[inv.Period.End.Unix()] {
			sum += inv.AmountPaid - max(-inv.Total, 0)
			follow(inv.Lines)
		}
	}
	return max(sum, 0)
}
