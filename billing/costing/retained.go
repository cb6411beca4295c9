package costing

import (
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// retained is what the paid invoices keep of the periods that the subscription spans, taxes included, less their credit
// notes and what else went back of the money that paid them: below zero where more went back. What an invoice bills of
// earlier periods takes the credit notes of its lines, and the first of the other money. What credit notes gave back in
// money is also in GivenBack, where the captures are known.
func (s Period) retained() invoice.Creditable {
	var out invoice.Creditable
	var refunded, earlier money.Minor
	for _, inv := range s.Facts.Paid {
		own, before := s.own(inv), s.noted(inv.Lines)
		out.Total += own.Total - inv.Credited.Total + before.Total
		out.Tax += own.Tax - inv.Credited.Tax + before.Tax
		refunded += inv.Credited.Refund
		earlier += max(inv.Total-own.Total-before.Total, 0)
	}
	out.Total -= max(s.Facts.GivenBack-refunded-earlier, 0)
	return out
}

// own is what an invoice bills of the periods that the subscription spans. Prorations of earlier periods that waited
// for the invoice are no part of it: a credit among them would count as if the current period had been billed less.
func (s Period) own(inv invoice.Invoice) invoice.Creditable {
	earlier := s.earlier(inv.Lines)
	return invoice.Creditable{Total: inv.Total - earlier.Total, Tax: inv.Tax - earlier.Tax}
}

// credited is what lines of earlier periods give back, which was bounded when they were made.
func (s Period) credited(lines []invoice.Line) invoice.Creditable {
	sums := s.earlier(lines)
	return invoice.Creditable{Total: max(-sums.Total, 0), Tax: max(-sums.Tax, 0)}
}

// noted is what credit notes gave back of lines of earlier periods.
func (s Period) noted(lines []invoice.Line) invoice.Sums {
	given := slices.Clone(lines)
	for i := range given {
		given[i].Amount, given[i].Discounts = given[i].Credited, nil
	}
	return s.earlier(given)
}

// earlier is what lines of periods before those that the subscription spans come to, and those of usage, whose time is
// over. Index 0 is that of a line from
// before there was one: it is of the period that its invoice was issued in.
func (s Period) earlier(lines []invoice.Line) invoice.Sums {
	past := slices.DeleteFunc(slices.Clone(lines), func(l invoice.Line) bool {
		return l.Kind != invoice.Metered && (l.PeriodIndex == 0 || l.PeriodIndex >= s.RenewedIndex)
	})
	sums, err := invoice.Draft{Lines: past, Creditable: unbound}.Sums()
	if err != nil { // each was checked when it began to wait
		return invoice.Sums{}
	}
	return sums
}

// unbound lets lines give back whatever they say.
var unbound = invoice.Creditable{Total: money.MaxMinor, Tax: money.MaxMinor}
