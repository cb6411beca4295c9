package totals

import (
	"math/big"

	"perennial/billing/money"
)

// tax adds up exact bases and exact taxes by rate. The taxes added to the lines are rounded once for the invoice, and
// so are those contained in them; the rates get their shares by rounding the running total.
func (s *Sums) tax(d Draft) {
	if len(d.Rates) == 0 {
		return
	}
	bases := s.bases(d)
	s.Taxes = make([]TaxSum, len(d.Rates))
	var added, contained running
	for r, rate := range d.Rates {
		if bases[r] == nil {
			continue
		}
		sum := &added
		if rate.Inclusive {
			sum = &contained
		}
		s.Taxes[r].Base = rounded(bases[r])
		s.Taxes[r].Amount = sum.next(bases[r].Mul(bases[r], rate.Percent.Hundredth().Rat()))
	}
	s.Tax, s.Contained = added.rounded, contained.rounded
}

// bases returns the base of each rate; nil for a rate that no line has.
func (s *Sums) bases(d Draft) []*big.Rat {
	bases := make([]*big.Rat, len(d.Rates))
	for i, line := range d.Lines {
		base := s.Lines[i].Net
		if inclusive := inclusive(d, line); inclusive.Sign() > 0 {
			base = new(big.Rat).Quo(base, inclusive.Add(hundred).Hundredth().Rat())
		}
		for _, r := range line.Rates {
			if bases[r] == nil {
				bases[r] = new(big.Rat)
			}
			bases[r].Add(bases[r], base)
		}
	}
	return bases
}

var hundred = money.Whole(100)

// inclusive is the sum of the percentages that a line contains.
func inclusive(d Draft, line Line) money.Decimal {
	var sum money.Decimal
	for _, r := range line.Rates {
		if d.Rates[r].Inclusive {
			sum = sum.Add(d.Rates[r].Percent)
		}
	}
	return sum
}
