package subscription

import (
	"slices"
	"strconv"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// ProrationBehavior says what becomes of the proration of a change within a period.
type ProrationBehavior string

// The behaviors, named as Stripe names them. Empty: InvoiceNow.
const (
	InvoiceNow  ProrationBehavior = "always_invoice" // credit and charge are on an invoice at once
	NextInvoice ProrationBehavior = "create"         // they wait for the next invoice, whenever that is
	NoProration ProrationBehavior = "none"           // the period stays billed as it is
)

// maxWaiting bounds the lines that wait, since they are part of the subscription's row.
const maxWaiting = 100

// waiting are the prorations that wait for the next invoice, and the most that it may give back.
type waiting struct {
	lines      []invoice.Line
	creditable invoice.Creditable
}

// taken returns what waits for the next invoice.
func (s Period) taken() waiting {
	if len(s.PendingLines) == 0 {
		return waiting{}
	}
	return waiting{lines: s.PendingLines, creditable: s.creditable(s.PendingLines)}
}

// Waits is what the lines that wait for the next invoice come to, taxes included. Fault: amount_too_large.
func (s Period) Waits() (money.Minor, error) {
	waited := s.taken()
	sums, err := invoice.Draft{Lines: waited.lines, Creditable: waited.creditable}.Sums()
	return sums.Total, err
}

// creditable is the most that lines may give back: what the paid invoices keep of the periods that the subscription
// spans, and what lines of earlier periods come to, which were bounded when they were made.
func (s Period) creditable(lines []invoice.Line) invoice.Creditable {
	kept, earlier := s.retained(), s.credited(lines)
	return invoice.Creditable{Total: max(kept.Total, 0) + earlier.Total, Tax: kept.Tax + earlier.Tax}
}

// Redrawn is the draft that an invoice in draft is. Facts are as it stands.
func (s Period) Redrawn(inv invoice.Invoice) invoice.Draft {
	d := inv.Redraw()
	d.Creditable = s.creditable(d.Lines)
	return d
}

// billed makes one invoice for time in the current period and for what waited, or none of no lines.
func (s *Period) billed(
	reason invoice.Reason, of period.Period, lines []invoice.Line, waited waiting,
) []invoice.Draft {
	issue := s.drafts(reason, of, slices.Concat(lines, waited.lines))
	for i := range issue {
		issue[i].Creditable, s.PendingLines = waited.creditable, nil
	}
	return issue
}

// wait lets prorations wait for the next invoice; lines begins with those that wait already. Until they are on an
// invoice their ids only tell them apart. Nothing may stop that invoice, so that what it may come to on a plan is
// checked now. Fault: amount_too_large.
func (s *Period) wait(lines []invoice.Line, on plan.Plan) error {
	for i := range lines {
		if lines[i].ID == "" {
			lines[i].ID = "pending_" + strconv.Itoa(i)
		}
	}
	s.PendingLines = lines
	next := s.next()
	next.quantity = max(s.PendingQuantity, s.Quantity)
	if s.Facts.Pending != nil {
		if err := s.renewable(next); err != nil {
			return err
		}
	}
	next.plan = on
	return s.renewable(next)
}

// renewable refuses what could not be billed with the next period: amount_too_large.
func (s Period) renewable(next target) error {
	total, err := s.Facts.first(next)
	if err != nil {
		return err
	}
	waits, err := invoice.Sum(s.PendingLines)
	if err == nil {
		_, err = money.Sum(total, max(waits, 0))
	}
	return err
}

// covered reports whether the current period is billed: by an invoice, by lines that wait for one, or, after a change
// that was not prorated, by what it was billed before.
func (s Period) covered() bool {
	return s.Facts.invoiced(s.PeriodIndex) || s.UnproratedIndex == s.PeriodIndex ||
		slices.ContainsFunc(s.PendingLines, func(l invoice.Line) bool { return l.PeriodIndex == s.PeriodIndex })
}
