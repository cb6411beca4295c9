package giveback

import (
	"slices"
	"time"

	"perennial/billing/invoice"
)

// usageLeft is what corrections may still take back of lines for usage, by price and segment, in the order of issue.
type usageLeft map[usageOf][]home

// usageOf is what a correction of usage has in common with the lines that it corrects: it names none.
type usageOf struct {
	priceID string
	start   time.Time
}

func usageOfLine(l invoice.Line) usageOf { return usageOf{l.PriceID, l.Period.Start.UTC()} }

// leftOf returns what credit notes and earlier corrections leave of lines for usage, which are in the order of issue.
// As in creditnote.Corrected, a correction is of the first lines first, of those before it.
func leftOf(usage []invoice.OnInvoice) usageLeft {
	left := usageLeft{}
	for len(usage) > 0 {
		n := slices.IndexFunc(usage, func(l invoice.OnInvoice) bool { return l.InvoiceID != usage[0].InvoiceID })
		if n < 0 {
			n = len(usage)
		}
		for _, l := range usage[:n] {
			if l.Net() < 0 {
				left.bear(l.Line)
			}
		}
		for _, l := range usage[:n] {
			if rest := l.Net() - l.Credited; rest > 0 {
				one := home{invoiceID: l.InvoiceID, lineID: l.ID, amount: rest, rates: l.Rates, open: !l.Paid}
				key := usageOfLine(l.Line)
				left[key] = append(left[key], one)
			}
		}
		usage = usage[n:]
	}
	return left
}

// take takes a correction off the lines that it is of, and returns them; none, where they do not bear all of it, or
// where an invoice of them is open: a note would leave its payer to pay what is given to the balance.
func (left usageLeft) take(correction invoice.Line) []home {
	of, all := left.bear(correction)
	if !all || slices.ContainsFunc(of, func(h home) bool { return h.open }) {
		return nil
	}
	return of
}

// bear takes a correction off the lines that it is of, and returns them; all: they bear all of it.
func (left usageLeft) bear(correction invoice.Line) (of []home, all bool) {
	amount, key := -correction.Net(), usageOfLine(correction)
	for i := range left[key] {
		one := &left[key][i]
		part := *one
		if part.amount = min(one.amount, amount); part.amount == 0 {
			continue
		}
		one.amount, amount = one.amount-part.amount, amount-part.amount
		of = append(of, part)
	}
	return of, amount == 0
}
