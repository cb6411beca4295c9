package invoice

import (
	"slices"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

// Tax is one rate of an invoice, as it was at issue. The amount of an exclusive rate is added to the lines; the lines
// contain that of an inclusive one. Amounts are minor units, below zero where the invoice gives more back than it
// bills.
type Tax struct {
	tax.Rate
	Base   money.Minor `json:"base"`
	Amount money.Minor `json:"amount"`
}

// Taxes are the taxes of one invoice.
type Taxes []Tax

// Rates returns the rates of some ids. Each is on the invoice: its lines have no others.
func (t Taxes) Rates(ids []string) []tax.Rate {
	var rates []tax.Rate
	for _, on := range t {
		if slices.Contains(ids, on.ID) {
			rates = append(rates, on.Rate)
		}
	}
	return rates
}

// Sums are the sums of an invoice before credit: Total = Subtotal - Discount + Tax.
type Sums struct {
	Subtotal money.Minor
	Discount money.Minor
	Tax      money.Minor // added to the lines
	Taxes    Taxes       // by rate; the exclusive ones sum to Tax
	Total    money.Minor
}

// Sums adds a draft up: lines, less their discounts, then taxes. Where rounding would give more tax back than the
// earlier invoices keep, it is as much as they keep. Fault: amount_too_large.
func (d Draft) Sums() (Sums, error) {
	subtotal, err := Sum(d.Lines)
	if err != nil {
		return Sums{}, err
	}
	sums := Sums{Subtotal: subtotal}
	for _, l := range d.Lines {
		sums.Discount += l.Discounts.Sum()
	}
	sums.Total = sums.Subtotal - sums.Discount
	if !slices.ContainsFunc(d.Lines, func(l Line) bool { return len(l.Rates) > 0 }) { // most invoices: no fractions
		return sums, nil
	}
	in, rates := d.taxed()
	out, err := totals.Of(in)
	if err != nil {
		return Sums{}, err
	}
	sums.Tax, sums.Total, sums.Taxes = out.Tax, out.Total, make(Taxes, len(rates))
	for i, r := range rates {
		sums.Taxes[i] = Tax{Rate: r, Base: out.Taxes[i].Base, Amount: out.Taxes[i].Amount}
	}
	sums.bound(d.Creditable)
	return sums, nil
}

// SumsOf adds lines up that may give back any amount. Fault: amount_too_large.
func SumsOf(lines []Line) (Sums, error) {
	return Draft{Lines: lines, Creditable: Creditable{Total: money.MaxMinor, Tax: money.MaxMinor}}.Sums()
}

// Billed is an issued invoice as totals reads it.
func (i Invoice) Billed() totals.Draft {
	in, _ := Draft{Lines: i.Lines}.taxed()
	return in
}

// taxed is the draft as totals taxes it, its lines without their discounts, and its rates in the order in which the
// lines name them. A rate that was renamed since one of the lines was billed is the same rate.
func (d Draft) taxed() (totals.Draft, []tax.Rate) {
	in := totals.Draft{Lines: make([]totals.Line, len(d.Lines))}
	for i, l := range d.Lines {
		in.Lines[i].Amount = l.Net()
		for _, r := range l.Rates {
			at := slices.IndexFunc(in.Rates, func(other tax.Rate) bool { return other.ID == r.ID })
			if at < 0 {
				at = len(in.Rates)
				in.Rates = append(in.Rates, r)
			}
			in.Lines[i].Rates = append(in.Lines[i].Rates, at)
		}
	}
	return in, in.Rates
}

// bound limits the taxes that are given back to Creditable, tax and total. The last ones that give something back give
// less.
func (s *Sums) bound(creditable Creditable) {
	excess := min(max(-creditable.Total-s.Total, -creditable.Tax-s.Tax), -s.Tax)
	for i := len(s.Taxes) - 1; i >= 0 && excess > 0; i-- {
		t := &s.Taxes[i]
		if t.Inclusive || t.Amount >= 0 {
			continue
		}
		less := min(excess, -t.Amount)
		t.Amount, s.Tax, s.Total, excess = t.Amount+less, s.Tax+less, s.Total+less, excess-less
	}
}

// Sum returns the sum of lines. Fault: amount_too_large.
func Sum(lines []Line) (money.Minor, error) {
	amounts := make([]money.Minor, 0, len(lines))
	for _, l := range lines {
		amounts = append(amounts, l.Amount)
	}
	return money.Sum(amounts...)
}
