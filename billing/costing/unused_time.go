package costing

import (
	"slices"
	"sort"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// UnusedTime has the lines of the new invoice that take unused time back, and the open invoice that it replaces.
type UnusedTime struct {
	Lines      []invoice.Line
	Credits    []invoice.Line // those of Lines that take unused time back now
	Replaces   string
	Credit     money.Minor        // of the lines: the unused time that they take back now, before taxes
	Creditable invoice.Creditable // the most that may go back, with taxes
}

// WithoutCredit returns the result for items that end without a credit for unused time: only the waiting lines are
// billed.
func (s Period) WithoutCredit() UnusedTime {
	waited := s.Waiting()
	return UnusedTime{Lines: slices.Clone(waited.Lines), Creditable: waited.creditable}
}

// UnusedTime values the unused time of items as far as it is billed: on paid invoices, on the open one that the new
// invoice takes in, which the caller must be able to withdraw, and by lines that wait for an invoice, which it takes in
// as well. The unpaid part of the period is then on one invoice, so a total below zero, which becomes credit or a
// refund, is never more than was paid.
func (s Period) UnusedTime(removed []subscription.Item, unused Left, now time.Time) (UnusedTime, error) {
	out := UnusedTime{Lines: slices.Clone(s.PendingLines)}
	if open := s.Facts.OpenFor(s.PeriodIndex); open != nil {
		if open.Credited != (invoice.Credited{}) {
			return UnusedTime{}, invoice.ErrHasCreditNotes
		}
		out.Replaces, out.Lines = open.ID, append(out.Lines, open.Lines...)
	}
	kept := s.retained().Total + spanning(s.RenewedIndex).credited(out.Lines).Total
	out.Creditable = s.creditable(out.Lines)
	issued := s.issued()
	credits, err := s.credits(issued, removed, unused, now)
	if err != nil {
		return UnusedTime{}, err
	}
	for _, credit := range credits {
		if s.Facts.GivenBack > 0 || s.Facts.noted() {
			less, err := afforded(slices.Concat(out.Lines, out.Credits), credit, reversed(issued, credit), -kept)
			if err != nil {
				return UnusedTime{}, err
			}
			if less.Amount != credit.Amount {
				less = less.Limited(invoice.LimitReturned)
			}
			credit = less
		}
		out.Credit -= credit.Amount
		out.Credits = append(out.Credits, credit) // also one of nothing: the line that it reverses is not credited later
	}
	out.Lines = append(out.Lines, out.Credits...)
	return out, nil
}

// afforded bounds a credit where money of the period went back already: all lines with it, discounts and taxes
// included, must sum to no less than least. Where taxes are rounded the sum may be one minor unit less, which the
// invoice's own bound takes off: all that is kept goes back.
func afforded(lines []invoice.Line, credit, billed invoice.Line, least money.Minor) (invoice.Line, error) {
	without, err := invoice.SumsOf(lines)
	if err != nil {
		return credit, err
	}
	total := func(credit invoice.Line) money.Minor {
		var with invoice.Sums
		if with, err = invoice.SumsOf(append(slices.Clone(lines), credit)); err != nil {
			return least
		}
		return with.Total
	}
	with := total(credit)
	if err != nil || with >= least {
		return credit, err
	}
	worth := money.Part(-credit.Amount, 0, int64(max(without.Total-least, 0)), int64(without.Total-with))
	out := credit.TakeBack(billed, worth)
	if len(billed.Discounts) > 0 && total(out) < least { // rounded twice: find the most that can be afforded
		fits := func(less int) bool { return total(credit.TakeBack(billed, worth-money.Minor(less))) >= least }
		out = credit.TakeBack(billed, worth-money.Minor(sort.Search(int(worth), fits)))
	}
	return out, err
}
