package costing

import (
	"slices"
	"strings"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// credits credits what issued invoices bill for the rest of the own periods of removed items. After a change that was
// not prorated, it credits all lines that bill the rest of the current period, since they are not of the items; those
// of longer periods are. A credit that rounds to nothing is left out, unless the line alone is worth more: after a
// change that is not prorated it would be credited once more. Faults: those of plan.Cost.
func (s Period) credits(
	issued []invoice.Invoice, removed []subscription.Item, left Left, now time.Time,
) ([]invoice.Line, error) {
	var credits []invoice.Line
	if s.UnproratedIndex == s.PeriodIndex {
		for _, billing := range unprorated(s, issued) {
			share, amount := s.share(billing, s.Whole(), left.Span)
			if worth := proration.Credit(amount, billing.Uncredited()); worth > 0 {
				credit := reversal(billing, billing, worth, now)
				part := s.portion(invoice.DividedLine, billing.Amount, s.Whole(), share)
				credits = append(credits, explained(credit, &invoice.Explanation{Part: part}, amount))
			}
		}
		removed = s.LongerItems(removed, s.Facts.Plan)
	}
	lines, err := s.lines(removed, s.Facts.Plan)
	if err != nil {
		return nil, err
	}
	for _, item := range lines {
		left, err := left.spanOf(item)
		if err != nil {
			return nil, err
		}
		billing, ok := billingOf(s, issued, item)
		of := left.Of(item.Amount)
		worth := proration.Credit(of, billing.Uncredited())
		if _, share := s.share(billing, item.divided, left); ok && (worth > 0 || share > 0) {
			credits = append(credits, explained(reversal(item.Line, billing, worth, now), s.part(item, left), of))
		}
	}
	return credits, nil
}

// unprorated returns the lines that bill the current period after a change that was not prorated, but none of items
// with longer periods: such changes leave these as they are billed.
func unprorated(s Period, issued []invoice.Invoice) []invoice.Line {
	longer := s.LongerItems(s.Items, s.Facts.Plan)
	return slices.DeleteFunc(invoice.Unreversed(issued, s.PeriodIndex), func(l invoice.Line) bool {
		return slices.ContainsFunc(longer, func(i subscription.Item) bool { return i.ID == l.ItemID })
	})
}

// explained returns a credit with its explanation. It gives back less than part, the amount that the explanation leads
// to, where less is billed.
func explained(credit invoice.Line, by *invoice.Explanation, part money.Minor) invoice.Line {
	credit.Explanation = by
	if -credit.Amount < part {
		return credit.Limited(invoice.LimitBilled)
	}
	return credit
}

// reversal credits the part of a line for the rest of its own period. of is the line of the whole period. The
// credit equals the charge for the same time, so that a chain of changes costs the time for which each price was used;
// it is at most the billed amount less credit notes. Its discounts and taxes are those of the line that it reverses.
func reversal(of, billing invoice.Line, worth money.Minor, now time.Time) invoice.Line {
	credit := nothingUsed(of, now).TakeBack(billing, worth)
	credit.ID, credit.PriceID = "", billing.PriceID // another version may have billed the price under another id
	credit.PeriodIndex = billing.PeriodIndex        // of a longer own period: the one with which it was billed
	return credit
}

// reversed finds the line whose time a credit takes back.
func reversed(issued []invoice.Invoice, credit invoice.Line) (of invoice.Line) {
	for _, inv := range issued {
		for _, l := range inv.Lines {
			if l.ID == credit.Reverses {
				of = l
			}
		}
	}
	return of
}

// share is the part of a line's amount that falls on a span that reaches to the end of a period: of a line whose price
// for the whole period is not known any more. The span that it returns is counted from the begin of the line.
func (s Period) share(billing invoice.Line, of period.Period, left proration.Span) (proration.Span, money.Minor) {
	begin, err := restOf(s, of, billing.Period.Start)
	length := left.Length - begin.From
	if err != nil || length <= 0 {
		return proration.Span{}, 0
	}
	share := proration.Span{From: max(left.From-begin.From, 0), To: length, Length: length}
	return share, share.Of(billing.Amount)
}

// titled returns the description of a line without the words for a part of a period.
func titled(l invoice.Line) string { return strings.TrimPrefix(l.Description, remaining) }

// The words before the description of a line for a part of a period.
const (
	remaining = "Remaining time on "
	notUsed   = "Unused time on "
)

// issued are the invoices that may bill time of the current period, with the lines that wait for one.
func (s Period) issued() []invoice.Invoice {
	all := slices.Concat(s.Facts.Paid, s.Facts.WrittenOff)
	if open := s.Facts.OpenFor(s.PeriodIndex); open != nil {
		all = append(all, *open)
	}
	if len(s.PendingLines) > 0 {
		all = append(all, invoice.Invoice{Status: invoice.Open, Lines: s.PendingLines})
	}
	return all
}
