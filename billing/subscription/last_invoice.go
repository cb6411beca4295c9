package subscription

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/period"
)

// endOnTime ends the subscription where its cancellation was put off until now. Nobody is there to ask for the payment
// of what waited for the next invoice, so that it gets the attempt that it would have had there; but not before an
// older invoice, which is paid first.
func (s Situation) endOnTime(now time.Time) Decision {
	d := s.end(s.CancelReason, now)
	for i := range d.Issue {
		d.Issue[i].Attempt = len(s.Facts.Open) == 0
	}
	return d
}

// lastInvoice bills the prorations that wait for the next invoice when the subscription ends: for their time, whichever
// period it ends in.
func (s Period) lastInvoice() []invoice.Draft {
	last := s.billed(invoice.Update, spanned(s.PendingLines), nil, s.taken())
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
