package totals

import (
	"math/big"

	"perennial/billing/money"
)

// takeOff applies the discounts. Each is rounded once, for all its lines together, and shared by them exactly, in
// proportion to their rests. It is no larger than the rests: where an earlier discount left a fraction of a unit, that
// fraction stays.
func (s *Sums) takeOff(d Draft) {
	if len(d.Discounts) == 0 {
		return
	}
	s.Discounts = make([]money.Minor, len(d.Discounts))
	for n, off := range d.Discounts {
		lines := off.Lines
		if lines == nil {
			lines = all(len(d.Lines))
		}
		base := new(big.Rat)
		for _, i := range lines {
			base.Add(base, s.Lines[i].Net)
		}
		amount := min(off.Of(rounded(base)), floor(base))
		if amount <= 0 {
			continue
		}
		s.Discounts[n] = amount
		s.Discount += amount
		left := new(big.Rat).SetInt64(int64(amount))
		left.Quo(left.Sub(base, left), base)
		for _, i := range lines {
			s.Lines[i].Net.Mul(s.Lines[i].Net, left)
		}
	}
	s.shareInUnits(d.Lines)
}

// shareInUnits writes each line's share in minor units, by rounding the running total. The exact shares sum to the
// discounts, which are whole, so the rounded ones do too.
func (s *Sums) shareInUnits(lines []Line) {
	var sum running
	for i, line := range lines {
		share := new(big.Rat).SetInt64(int64(line.Amount))
		s.Lines[i].Discount = sum.next(share.Sub(share, s.Lines[i].Net))
	}
}

func all(n int) []int {
	indices := make([]int, n)
	for i := range indices {
		indices[i] = i
	}
	return indices
}
