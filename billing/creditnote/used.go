package creditnote

import (
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// usageKey is what a correction of usage has in common with the lines that it corrects.
type usageKey struct {
	priceID string
	start   time.Time
}

func keyOf(l invoice.Line) usageKey { return usageKey{l.PriceID, l.Period.Start.UTC()} }

// Used is what credit notes and corrections leave of the lines for usage of a subscription, in the order of issue. A
// correction names no line: it is of the price's lines for the same time on earlier invoices, the first ones first, as
// far as something is left of them.
type Used map[usageKey][]UsedLine

// UsedLine is a line for usage, and a part of its amount, after discounts and before taxes, in minor units.
type UsedLine struct {
	invoice.OnInvoice
	Part money.Minor
}

// Issue adds the usage lines of the next invoice, and returns what its corrections take of earlier lines. Those of its
// own reduce its total only.
func (u Used) Issue(lines []invoice.OnInvoice) (corrected []UsedLine) {
	for _, l := range lines {
		of, _ := u.Correct(l.Line)
		corrected = append(corrected, of...)
	}
	for _, l := range lines {
		if left := l.Net() - l.Credited; left > 0 {
			u[keyOf(l.Line)] = append(u[keyOf(l.Line)], UsedLine{l, left})
		}
	}
	return corrected
}

// Correct takes a correction off the lines that it is of, and returns them; all: they bear all of it. It takes nothing
// for another line.
func (u Used) Correct(correction invoice.Line) (of []UsedLine, all bool) {
	amount, earlier := -correction.Net(), u[keyOf(correction)]
	for i := 0; i < len(earlier) && amount > 0; i++ {
		part := min(amount, earlier[i].Part)
		if part == 0 {
			continue
		}
		earlier[i].Part, amount = earlier[i].Part-part, amount-part
		of = append(of, UsedLine{earlier[i].OnInvoice, part})
	}
	return of, amount <= 0
}
