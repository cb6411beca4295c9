package costing

import (
	"slices"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// retained returns the amount that the paid invoices keep for the periods that the subscription spans, taxes included,
// less their credit notes and other money that went back: below zero where more went back. The lines of earlier periods
// bear the credit notes on them, and the other money first. Money of credit notes is also in GivenBack, where the
// captures are known.
func (s Period) retained() invoice.Creditable {
	var out invoice.Creditable
	var refunded, earlier money.Minor
	for _, inv := range s.Facts.Paid {
		own, before := spanning(s.RenewedIndex).own(inv), spanning(s.RenewedIndex).noted(inv.Lines)
		out.Total += own.Total - inv.Credited.Total + before.Total
		out.Tax += own.Tax - inv.Credited.Tax + before.Tax
		refunded += inv.Credited.Refund
		earlier += inv.Total - own.Total - before.Total // below zero where it corrects usage of another invoice
	}
	out.Total -= max(s.Facts.GivenBack-refunded-max(earlier, 0), 0)
	return out
}

// spanning is the first of the periods that a subscription spans: Subscription.RenewedIndex.
type spanning int

// own returns the part of an invoice that bills the periods that the subscription spans. Prorations of earlier periods
// that waited for the invoice do not belong to it: a credit among them would count as if the current period had been
// billed less.
func (s spanning) own(inv invoice.Invoice) invoice.Creditable {
	earlier := s.earlier(inv.Lines)
	return invoice.Creditable{Total: inv.Total - earlier.Total, Tax: inv.Tax - earlier.Tax}
}

// credited returns the amount that lines of earlier periods give back, which was bounded when they were made.
func (s spanning) credited(lines []invoice.Line) invoice.Creditable {
	sums := s.earlier(lines)
	return invoice.Creditable{Total: max(-sums.Total, 0), Tax: max(-sums.Tax, 0)}
}

// noted returns the amount that credit notes gave back of lines of earlier periods.
func (s spanning) noted(lines []invoice.Line) invoice.Sums {
	given := slices.Clone(lines)
	for i := range given {
		given[i].Amount, given[i].Discounts = given[i].Credited, nil
	}
	return s.earlier(given)
}

// earlier returns the sums of lines of periods before those that the subscription spans, and of usage, whose time is
// over. A line with index 0 is from before there was one: it is of the period in which its invoice was issued.
func (s spanning) earlier(lines []invoice.Line) invoice.Sums {
	past := slices.DeleteFunc(slices.Clone(lines), func(l invoice.Line) bool {
		return l.Kind != invoice.Metered && (l.PeriodIndex == 0 || l.PeriodIndex >= int(s))
	})
	sums, err := invoice.SumsOf(past)
	if err != nil { // each was checked when it began to wait
		return invoice.Sums{}
	}
	return sums
}
