package costing

import (
	"slices"
	"strconv"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// Waiting are the prorations that wait for the next invoice, and the most that it may give back.
type Waiting struct {
	Lines      []invoice.Line
	creditable invoice.Creditable
}

// Waiting returns what waits for the next invoice.
func (s Period) Waiting() Waiting {
	if len(s.PendingLines) == 0 {
		return Waiting{}
	}
	return Waiting{Lines: s.PendingLines, creditable: s.creditable(s.PendingLines)}
}

// Waits returns the total of the lines that wait for the next invoice, taxes included. Fault: amount_too_large.
func (s Period) Waits() (money.Minor, error) {
	waited := s.Waiting()
	sums, err := invoice.Draft{Lines: waited.Lines, Creditable: waited.creditable}.Sums()
	return sums.Total, err
}

// creditable returns the most that lines may give back: the amount that the paid invoices keep for the periods that the
// subscription spans, and the credit of lines of earlier periods, which was bounded when they were made.
func (s Period) creditable(lines []invoice.Line) invoice.Creditable {
	kept, earlier := s.retained(), spanning(s.RenewedIndex).credited(lines)
	return invoice.Creditable{Total: max(kept.Total, 0) + earlier.Total, Tax: kept.Tax + earlier.Tax}
}

// Redrawn is the draft that an invoice in draft is. Facts are as it stands.
func (s Period) Redrawn(inv invoice.Invoice) invoice.Draft {
	d := inv.Redraw()
	d.Creditable = s.creditable(d.Lines)
	return d
}

// Billed makes one invoice for time in the current period and for what waited, or none of no lines.
func (s *Period) Billed(
	reason invoice.Reason, of period.Period, lines []invoice.Line, waited Waiting,
) []invoice.Draft {
	issue := s.Drafts(reason, of, slices.Concat(lines, waited.Lines))
	for i := range issue {
		issue[i].Creditable, s.PendingLines = waited.creditable, nil
	}
	return issue
}

// Wait lets prorations wait for the next invoice; lines begins with those that wait already. Until they are on an
// invoice their ids only distinguish them. Nothing may stop that invoice, so its possible total on a plan is checked
// now. Fault: amount_too_large.
func (s *Period) Wait(lines []invoice.Line, on plan.Plan) error {
	for i := range lines {
		if lines[i].ID == "" {
			lines[i].ID = "pending_" + strconv.Itoa(i)
		}
	}
	s.PendingLines = lines
	next := s.Upcoming()
	next.Quantity = max(s.PendingQuantity, s.Quantity)
	if s.Facts.Pending != nil {
		if err := s.Renewable(next); err != nil {
			return err
		}
	}
	next.Plan = on
	return s.Renewable(next)
}

// Covered reports whether the current period is billed: by an invoice, by lines that wait for one, after a change that
// was not prorated by its earlier lines, or though it cost nothing.
func (s Period) Covered() bool {
	return s.Facts.invoiced(s.PeriodIndex) || s.UnproratedIndex == s.PeriodIndex || s.FreeIndex == s.PeriodIndex ||
		slices.ContainsFunc(s.PendingLines, func(l invoice.Line) bool { return l.PeriodIndex == s.PeriodIndex })
}
