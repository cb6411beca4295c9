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

// Corrected returns what later invoices gave back of an invoice's usage lines, after discounts and before taxes, by
// line. usage are the invoices of the subscription that are not void, in the order of issue, with their usage lines. A
// correction names no line: it is of the price's lines for the same time on earlier invoices, the first ones first, as
// far as credit notes left something of them. Nothing was paid for lines of uncollectible invoices, but a correction on
// one reduced what was owed. Thus all notes and corrections together give back no more than what was billed.
func Corrected(inv invoice.Invoice, usage []invoice.Invoice) map[string]money.Minor {
	type billed struct {
		id   string
		left money.Minor
	}
	before, given := map[usageKey][]billed{}, map[string]money.Minor{}
	for _, on := range usage {
		for _, l := range on.Lines {
			key, amount := keyOf(l), -l.Net() // of a correction
			of := before[key]
			for i := 0; i < len(of) && amount > 0; i++ {
				part := min(amount, of[i].left)
				of[i].left, amount = of[i].left-part, amount-part
				given[of[i].id] += part
			}
		}
		for _, l := range on.Lines { // the invoice's own corrections reduced its total
			if left := l.Net() - l.Credited; left > 0 && on.Status != invoice.Uncollectible {
				before[keyOf(l)] = append(before[keyOf(l)], billed{l.ID, left})
			}
		}
	}
	own := map[string]money.Minor{}
	for _, l := range inv.Lines {
		if given[l.ID] > 0 {
			own[l.ID] = given[l.ID]
		}
	}
	return own
}
