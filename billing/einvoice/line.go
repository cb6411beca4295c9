package einvoice

import (
	"math/big"

	"perennial/billing/document"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
)

// lineOf returns a line without the tax that its price contains. Faults: einvoice_unsupported, einvoice_data_missing.
func lineOf(d document.Document, during period.Period, l document.Line) (Line, error) {
	if len(l.Rates) > 1 {
		return Line{}, unsupported("lines.taxRateIds", "A line of it has several tax rates; an e-invoice has one for each line.")
	}
	if l.Description == "" {
		return Line{}, missing("lines.description", "A line has no description.")
	}
	out := Line{Name: l.Description, Period: during, Net: l.Amount - l.Discount}
	switch {
	case len(l.Rates) == 1:
		out.Category, out.Percent = taxed(l.Rates[0])
		out.Net = withoutTax(d, l)
	case d.Exempt == tax.Reverse:
		out.Category, out.Percent = Reverse, "0"
	case d.Exempt == tax.Exempt:
		out.Category, out.Percent = Exempt, "0"
	default:
		out.Category = NotSubject
	}
	out.price(d.Currency, l)
	return out, nil
}

// taxed returns the category and the percentage of a rate.
func taxed(r tax.Rate) (Category, string) {
	if r.Percent.Sign() == 0 {
		return Zero, "0"
	}
	return Standard, r.Percent.String()
}

// price sets quantity and price as the line has them, where they come to its amount exactly, and else one of the whole.
func (l *Line) price(c money.Currency, of document.Line) {
	if l.Net == of.Amount-of.Discount && of.Discount >= 0 && of.Amount >= 0 {
		l.Allowance = of.Discount
		if multiplies(of, c) {
			l.Quantity, l.Price = of.Quantity, of.UnitPrice
			return
		}
	}
	whole := l.Net + l.Allowance
	l.Quantity, l.Price = "1", money.FormatUnits(max(whole, -whole), c)
	if whole < 0 { // a price is never below zero (BR-27)
		l.Quantity = "-1"
	}
}

// multiplies reports whether quantity × unit price is the amount.
func multiplies(l document.Line, c money.Currency) bool {
	quantity, ok := new(big.Rat).SetString(l.Quantity)
	price, known := new(big.Rat).SetString(l.UnitPrice)
	if !ok || !known || price.Sign() < 0 {
		return false
	}
	return quantity.Mul(quantity, price).Cmp(money.Units(l.Amount, c).Rat()) == 0
}

// withoutTax returns what is left of a line without the tax within its price. The lines of a rate come to its base:
// each has the difference of two rounded running totals.
func withoutTax(d document.Document, l document.Line) money.Minor {
	rate := l.Rates[0]
	net := l.Amount - l.Discount
	if !rate.Inclusive {
		return net
	}
	var all, before money.Minor
	reached := false
	for _, s := range d.Sections {
		for _, other := range s.Lines {
			if len(other.Rates) != 1 || other.Rates[0].ID != rate.ID {
				continue
			}
			all += other.Amount - other.Discount
			if reached = reached || other.ID == l.ID; !reached {
				before += other.Amount - other.Discount
			}
		}
	}
	var amount money.Minor
	for _, t := range d.Taxes {
		if t.ID == rate.ID {
			amount += t.Amount
		}
	}
	return net - (part(amount, before+net, all) - part(amount, before, all))
}

// part returns amount × of / all, rounded half up; nothing of nothing.
func part(amount, of, all money.Minor) money.Minor {
	if all == 0 {
		return 0
	}
	exact := new(big.Rat).Mul(big.NewRat(int64(amount), 1), big.NewRat(int64(of), int64(all)))
	exact.Add(exact, big.NewRat(1, 2))
	floor := new(big.Int).Div(exact.Num(), exact.Denom()) // Euclidean: the denominator is above zero
	return money.Minor(floor.Int64())
}
