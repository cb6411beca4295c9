package invoice

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// LineKind is the kind of thing that a line bills.
type LineKind string

// The line kinds.
const (
	Recurring       LineKind = "recurring"        // a whole period of a price, in advance
	ProrationCredit LineKind = "proration_credit" // negative: unused time that another line bills
	ProrationCharge LineKind = "proration_charge" // the rest of a period, after a change within it
	OneOff          LineKind = "one_off"          // a fee that is charged once, for no time
	Metered         LineKind = "usage"            // usage of a metered price, in arrears; negative where it was corrected
)

// InAdvance reports whether lines of the kind bill the time of an item, which a change may credit or bill on.
func (k LineKind) InAdvance() bool { return k != OneOff && k != Metered }

// BillsTime reports whether lines of the kind bill the time of an item: not those that credit it.
func (k LineKind) BillsTime() bool { return k == Recurring || k == ProrationCharge }

// Line is one position of an invoice: the cost of one price for some time. It names what it bills, so that the billed
// and credited amounts of an item, a price or a period are sums over lines. Amount is in minor units, negative for a
// credit; Period is the time it pays for.
type Line struct {
	ID          string
	Kind        LineKind
	Description string
	PlanID      string
	PriceID     string // empty: a credit from before lines had items, for a whole plan
	ItemID      string // the subscription item; empty: a fee, or from before there were any
	PeriodIndex int    // which period of the subscription it bills: Subscription.PeriodIndex
	Quantity    string // a decimal; empty: not known
	UnitPrice   string // a decimal in major units of the currency; empty: not known
	Reverses    string // of a credit: the line whose unused time it takes back
	Amount      money.Minor
	Credited    money.Minor  // of Net, by credit notes
	Discounts   Shares       // the discounts on Amount at the time of billing; of a credit, the ones that it gives back
	TaxCategory tax.Category // of what it bills, at the time of billing; empty: none
	Rates       []tax.Rate   // the taxes on it at the time of billing; of a credit, those of the line it reverses
	Period      period.Period

	// Explanation shows how Amount was calculated; nil: it is Quantity × UnitPrice, or not known.
	Explanation *Explanation
}

// OnInvoice is a line of an issued invoice.
type OnInvoice struct {
	InvoiceID string
	Paid      bool // the invoice; false: it is open
	Line
}

// Prorated reports whether the line is for a part of a period.
func (l Line) Prorated() bool { return l.Kind == ProrationCredit || l.Kind == ProrationCharge }

// Billing returns the line that bills an item in a period of its subscription: the latest one that no credit reverses.
// A credit covers all of the time that is left of the line, so that no line is reversed twice. ok is false where there
// is no such line, and where a person gave its invoice up, so that nothing was or will be paid for it.
func Billing(invoices []Invoice, itemID string, periodIndex int) (line Line, ok bool) {
	for _, inv := range asIssued(invoices) {
		for _, l := range inv.Lines {
			switch {
			case l.PeriodIndex != periodIndex:
			case l.Kind.BillsTime() && l.ItemID == itemID:
				line, ok = l, inv.Bills()
			case ok && l.reverses(line):
				ok = false
			}
		}
	}
	return line, ok
}

// BillingUntil is Billing for an item whose own period is longer than those of its subscription: that period ends at an
// instant. billed is also true where a person gave the invoice of that line up: no time is billed again. But invoices
// that were given up before the item joined, with the period joined, do not count: it was removed, and added again.
func BillingUntil(invoices []Invoice, itemID string, end time.Time, joined int) (line Line, ok, billed bool) {
	type billing struct {
		Line
		bills bool
	}
	var left []billing // lines that waited follow those of the period on its invoice, with their credits
	for _, inv := range asIssued(invoices) {
		for _, l := range inv.Lines {
			switch {
			case l.Kind.BillsTime() && l.ItemID == itemID && l.Period.End.Equal(end):
				if inv.Bills() || inv.PeriodIndex >= joined {
					left = append(left, billing{l, inv.Bills()})
				}
			default:
				left = slices.DeleteFunc(left, func(of billing) bool { return l.reverses(of.Line) })
			}
		}
	}
	if len(left) == 0 {
		return Line{}, false, false
	}
	last := left[len(left)-1]
	return last.Line, last.bills, true
}

// Unreversed returns the lines that bill a period of a subscription and that no credit takes back, in the order in
// which they were issued; but none of invoices that a person gave up.
func Unreversed(invoices []Invoice, periodIndex int) (lines []Line) {
	for _, inv := range asIssued(invoices) {
		for _, l := range inv.Lines {
			switch {
			case l.PeriodIndex != periodIndex, !l.Kind.InAdvance():
			case l.Kind == ProrationCredit:
				lines = slices.DeleteFunc(lines, l.reverses)
			case inv.Bills():
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// Bills reports whether the lines of the invoice were paid, or will be as far as is known.
func (i Invoice) Bills() bool {
	return i.Status == Open || i.Status == Paid || i.Status == InDraft || i.Status == TakenBack
}

// asIssued sorts invoices by the order in which they were issued. One without a number is being issued.
func asIssued(invoices []Invoice) []Invoice {
	return slices.SortedStableFunc(slices.Values(invoices), func(a, b Invoice) int {
		if a.Number == 0 || b.Number == 0 {
			return cmp.Compare(b.Number, a.Number)
		}
		return cmp.Compare(a.Number, b.Number)
	})
}

// reverses reports whether the line takes back time of another. Credits from before lines had items name none: they
// take the time of a whole plan back.
func (l Line) reverses(other Line) bool {
	if l.Kind != ProrationCredit {
		return false
	}
	return l.Reverses == other.ID || l.PriceID == "" && l.PlanID == other.PlanID
}

// Identify gives the lines ids. A line that reverses another line of the draft gets that line's new id in Reverses.
func (d Draft) Identify(id func(position int) string) Draft {
	d.Lines = slices.Clone(d.Lines)
	renamed := make(map[string]string, len(d.Lines))
	for i := range d.Lines {
		l := &d.Lines[i]
		was := l.ID
		l.ID = id(i)
		if was != "" {
			renamed[was] = l.ID
		}
	}
	for i := range d.Lines {
		if to, ok := renamed[d.Lines[i].Reverses]; ok {
			d.Lines[i].Reverses = to
		}
	}
	return d
}
