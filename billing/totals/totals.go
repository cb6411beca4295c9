// Package totals owns the arithmetic of an invoice: discounts one after another, taxes on the rest, credit last. Shares
// are exact fractions until they are rounded, once for each total; docs/rounding.md has every rule with an example. It
// does not own which lines, coupons, rates and credit an invoice has.
package totals

import (
	"math/big"

	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// Line is an amount of an invoice and the taxes on it. A negative amount gives something back, with its tax.
type Line struct {
	Amount money.Minor
	Rates  []int // places in Draft.Rates
}

// Discount is taken off the lines that it names; nil names all.
type Discount struct {
	discount.Discount
	Lines []int // places in Draft.Lines
}

// Draft is the input of an invoice's sums. Discounts apply in their order, each to the rest of the earlier ones.
type Draft struct {
	Lines     []Line
	Discounts []Discount
	Rates     []tax.Rate
	Credit    money.Minor // in hand, at most as much as is used
}

// Sums are the totals of an invoice: Subtotal - Discount + Tax - Credit = Due.
type Sums struct {
	Subtotal  money.Minor
	Discount  money.Minor   // the sum of Discounts
	Discounts []money.Minor // by discount
	Lines     []LineSums    // by line
	Tax       money.Minor   // added to the lines: of rates that are not inclusive
	Contained money.Minor   // tax that the lines contain: of inclusive rates
	Taxes     []TaxSum      // by rate; the exclusive ones sum to Tax, the others to Contained
	Total     money.Minor   // Subtotal - Discount + Tax
	Credit    money.Minor   // used
	Due       money.Minor   // Total - Credit
}

// LineSums has the sums of a line.
type LineSums struct {
	Discount money.Minor // the line's share of all discounts; the shares sum to Sums.Discount
	Net      *big.Rat    // the amount less its exact share, in minor units
}

// TaxSum is one rate of an invoice.
type TaxSum struct {
	Base   money.Minor // the base of the rate, rounded
	Amount money.Minor
}

// Of returns the totals. Faults: amount_too_large.
func Of(d Draft) (Sums, error) {
	s := Sums{Lines: make([]LineSums, len(d.Lines))}
	amounts := make([]money.Minor, len(d.Lines))
	for i, line := range d.Lines {
		amounts[i] = line.Amount
		s.Lines[i].Net = new(big.Rat).SetInt64(int64(line.Amount))
	}
	var err error
	if s.Subtotal, err = money.Sum(amounts...); err != nil {
		return Sums{}, err
	}
	s.takeOff(d)
	s.tax(d)
	// Not bounded again: taxes may be higher by the time of a renewal, which nothing may stop.
	s.Total = s.Subtotal - s.Discount + s.Tax
	s.Credit = max(min(d.Credit, s.Total), 0)
	s.Due = s.Total - s.Credit
	return s, nil
}
