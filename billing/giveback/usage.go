package giveback

import (
	"cmp"
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

// leftOf returns what credit notes and earlier corrections leave of lines for usage. As in creditnote.Corrected, a
// correction is of the first lines first.
func leftOf(usage []invoice.OnInvoice) usageLeft {
	usage = slices.SortedFunc(slices.Values(usage), func(a, b invoice.OnInvoice) int { return cmp.Compare(a.ID, b.ID) })
	left := usageLeft{}
	for _, l := range usage {
		if rest := l.Net() - l.Credited; rest > 0 {
			left[usageOfLine(l.Line)] = append(left[usageOfLine(l.Line)], home{l.InvoiceID, l.ID, rest})
		}
	}
	for _, l := range usage {
		if l.Net() < 0 {
			left.take(l.Line)
		}
	}
	return left
}

// take takes a correction off the lines that it is of, and returns them; none, where they do not bear all of it.
func (left usageLeft) take(correction invoice.Line) (of []home) {
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
	if amount > 0 {
		return nil
	}
	return of
}
