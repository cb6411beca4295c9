// Package giveback owns how the lines that a decision bills become documents: an invoice where they come to more than
// zero, else credit notes for the invoices whose lines they take back, beside an invoice for the rest. It does not own
// which lines those are (costing), nor credit notes that a person asks for (creditnote).
package giveback

import (
	"slices"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// Split is a draft that gives back at least what it bills, as documents.
type Split struct {
	// Bill has the lines that stay on an invoice, which the notes pay; without lines, there is none.
	Bill invoice.Draft
	// Back has the lines that are taken back of earlier invoices, also those of nothing: no later change takes them back.
	Back invoice.Draft
	// Sums are what the notes come to together, below zero.
	Sums invoice.Sums
	// Notes are the credit notes, in the order in which the lines name their invoices. They have no ids yet, and say not
	// where their totals go: see To.
	Notes []creditnote.Note
	// Given is by how much the notes exceed the invoice: what goes to the balance or back in money.
	Given money.Minor

	parts []part // of Back, where it is not of nothing
}

// part is what a line takes back of one line of an invoice.
type part struct {
	home
	line invoice.Line // or as much of it as is of that line
}

// home is a line of an issued invoice, and what is taken back of it: after discounts, before taxes, in minor units.
type home struct {
	invoiceID, lineID string
	amount            money.Minor
	rates             []tax.Rate // with which a line for usage was billed
}

// Issued is what is known of the issued invoices whose lines a draft takes back.
type Issued struct {
	// Home returns the invoice that billed a line, or empty if no credit note can be written for it.
	Home func(lineID string) string
	// Usage are the lines for usage that corrections of the draft are of, with earlier corrections, in the order of issue.
	Usage []invoice.OnInvoice
}

// Of splits a draft. ok is false where the draft is one invoice: it comes to more than zero, takes nothing back, or
// takes back what is on no known invoice. Together the documents come to what the draft comes to. Beside an invoice,
// whose taxes are rounded alone, they may give back less by what rounding leaves: a note is over no more than its lines
// were billed with. Fault: amount_too_large.
func Of(d invoice.Draft, known Issued) (split Split, ok bool, err error) {
	whole, err := d.Sums()
	if err != nil || whole.Total > 0 {
		return Split{}, false, err
	}
	split, ok = divide(d, known)
	if !ok {
		return Split{}, false, nil
	}
	if whole, err = split.sums(d.Creditable); err != nil || whole.Total > 0 {
		return Split{}, false, err
	}
	billed, err := invoice.SumsOf(split.Bill.Lines)
	if err != nil || billed.Total < 0 {
		return Split{}, false, err
	}
	if billed.Total == 0 && netsToNothing(split.Bill.Lines) {
		split.Bill.Lines, billed = nil, invoice.Sums{}
	}
	if len(split.Back.Lines) == 0 && len(split.Bill.Lines) > 0 {
		return Split{}, false, nil
	}
	if err := split.write(billed.Tax - whole.Tax); err != nil {
		return Split{}, false, err
	}
	split.Given = -split.Sums.Total - billed.Total
	return split, split.Given >= 0, nil // by rounding, notes may be worth less than the invoice that they pay
}

// divide divides the lines: those that take back lines of other invoices, and the others. ok is false where there is
// nothing to take back, or an invoice is not known.
func divide(d invoice.Draft, known Issued) (split Split, ok bool) {
	split.Bill, split.Back = d, d
	split.Bill.Lines, split.Back.Lines = nil, nil
	own := map[string]bool{}
	for _, l := range d.Lines {
		own[l.ID] = l.ID != ""
	}
	used := usedOf(known.Usage)
	reverses := false
	for _, l := range d.Lines {
		var of []home
		switch {
		case l.Kind == invoice.ProrationCredit && !own[l.Reverses]:
			of = []home{{invoiceID: known.Home(l.Reverses), lineID: l.Reverses, amount: -l.Net(), rates: l.Rates}}
		case l.Kind == invoice.Metered && l.Net() < 0:
			of = correctedBy(l, used)
		default:
			split.Bill.Lines = append(split.Bill.Lines, l)
			reverses = reverses || l.Kind == invoice.ProrationCredit
			continue
		}
		if len(of) == 1 {
			l.Rates = of[0].rates
		}
		split.Back.Lines, reverses = append(split.Back.Lines, l), true
		if l.Net() == 0 {
			continue
		}
		if len(of) == 0 || of[0].invoiceID == "" {
			return Split{}, false
		}
		split.parts = append(split.parts, partsOf(l, of)...)
	}
	return split, reverses
}

// sums adds up all lines, each with the taxes of the line that it takes back.
func (s *Split) sums(within invoice.Creditable) (invoice.Sums, error) {
	all := invoice.Draft{Lines: slices.Clone(s.Bill.Lines), Creditable: within}
	for _, p := range s.parts {
		all.Lines = append(all.Lines, p.line)
	}
	return all.Sums()
}

// partsOf divides a line among the lines that it takes back, with their taxes.
func partsOf(l invoice.Line, of []home) []part {
	if len(of) == 1 {
		return []part{{of[0], l}}
	}
	parts := make([]part, len(of))
	for i, one := range of {
		parts[i] = part{one, l}
		parts[i].line.Amount, parts[i].line.Discounts, parts[i].line.Rates = -one.amount, nil, one.rates
	}
	return parts
}

// netsToNothing reports whether lines are only such as bill nothing, and such as are taken back whole beside them.
func netsToNothing(lines []invoice.Line) bool {
	sums := map[string]money.Minor{}
	for _, l := range lines {
		id := l.ID
		if l.Kind == invoice.ProrationCredit {
			id = l.Reverses
		}
		sums[id] += l.Amount
	}
	for _, sum := range sums {
		if sum != 0 {
			return false
		}
	}
	return true
}

// write writes the notes. tax is what they give back of the added taxes.
func (s *Split) write(tax money.Minor) error {
	for _, l := range s.Back.Lines {
		s.Sums.Subtotal += l.Amount
		s.Sums.Discount += l.Discounts.Sum()
	}
	lines := map[string][]invoice.Line{}
	for _, p := range s.parts {
		if lines[p.invoiceID] == nil {
			s.Notes = append(s.Notes, creditnote.Note{InvoiceID: p.invoiceID, Reason: creditnote.OrderChange})
		}
		lines[p.invoiceID] = append(lines[p.invoiceID], p.line)
	}
	for i := range s.Notes {
		n := &s.Notes[i]
		for _, p := range s.parts {
			if p.invoiceID == n.InvoiceID {
				n.Lines = with(n.Lines, p.home)
				n.Subtotal += p.amount
			}
		}
		sums, err := invoice.SumsOf(lines[n.InvoiceID])
		if err != nil {
			return err
		}
		n.Tax = -sums.Tax
		for _, t := range sums.Taxes {
			n.Taxes = append(n.Taxes, invoice.Tax{Rate: t.Rate, Base: -t.Base, Amount: -t.Amount})
		}
		tax -= n.Tax
	}
	if len(s.Bill.Lines) > 0 { // what its taxes are rounded up by was on none of the invoices
		tax = min(tax, 0)
	}
	s.share(tax)
	s.Sums.Tax = 0
	for i := range s.Notes {
		s.Notes[i].Total = s.Notes[i].Subtotal + s.Notes[i].Tax
		s.Sums.Tax -= s.Notes[i].Tax
	}
	s.Sums.Total = s.Sums.Subtotal - s.Sums.Discount + s.Sums.Tax
	s.Sums.Taxes = s.taxes()
	return nil
}

// with adds what is taken back of a line to those of a note, each once.
func with(lines []creditnote.Line, of home) []creditnote.Line {
	for i := range lines {
		if lines[i].InvoiceLineID == of.lineID {
			lines[i].Amount += of.amount
			return lines
		}
	}
	return append(lines, creditnote.Line{InvoiceLineID: of.lineID, Amount: of.amount})
}

// share adds what rounding leaves of the tax to the notes that have taxes, the last one first: their taxes are rounded
// together, with those of the invoice.
func (s *Split) share(left money.Minor) {
	for i := range slices.Backward(s.Notes) {
		n := &s.Notes[i]
		for r := range slices.Backward(n.Taxes) {
			t := &n.Taxes[r]
			if t.Inclusive {
				continue
			}
			more := max(left, -t.Amount)
			t.Amount, n.Tax, left = t.Amount+more, n.Tax+more, left-more
		}
	}
}

// taxes returns the taxes of the lines that are taken back, by rate, below zero.
func (s *Split) taxes() (all invoice.Taxes) {
	for _, n := range s.Notes {
		for _, t := range n.Taxes {
			at := slices.IndexFunc(all, func(had invoice.Tax) bool { return had.ID == t.ID })
			if at < 0 {
				at, all = len(all), append(all, invoice.Tax{Rate: t.Rate})
			}
			all[at].Base, all[at].Amount = all[at].Base-t.Base, all[at].Amount-t.Amount
		}
	}
	for _, l := range s.Back.Lines { // of lines of nothing
		for _, r := range l.Rates {
			if !slices.ContainsFunc(all, func(had invoice.Tax) bool { return had.ID == r.ID }) {
				all = append(all, invoice.Tax{Rate: r})
			}
		}
	}
	return all
}

// Refund is a refund that was made for the notes.
type Refund struct {
	ID     string
	Amount money.Minor
}

// To says where the totals of notes go: an amount goes back in money, by refunds that give at least that, and the rest
// to the balance. A note names the refund that gives its first minor unit back.
func To(notes []creditnote.Note, refunds []Refund, amount money.Minor) []creditnote.Note {
	notes, refunds = slices.Clone(notes), slices.Clone(refunds)
	for i := range notes {
		n := &notes[i]
		for len(refunds) > 0 && amount > 0 && n.Refund < n.Total {
			if n.RefundID == "" {
				n.RefundID = refunds[0].ID
			}
			part := min(n.Total-n.Refund, refunds[0].Amount, amount)
			n.Refund, refunds[0].Amount, amount = n.Refund+part, refunds[0].Amount-part, amount-part
			if refunds[0].Amount == 0 {
				refunds = refunds[1:]
			}
		}
		n.Balance = n.Total - n.Refund
	}
	return notes
}
