package totals

import (
	"math/big"

	"perennial/billing/money"
)

// running rounds a total as it grows, so that the rounded parts always sum to the rounded total.
type running struct {
	exact   big.Rat
	rounded money.Minor
}

func (r *running) next(part *big.Rat) money.Minor {
	r.exact.Add(&r.exact, part)
	before := r.rounded
	r.rounded = rounded(&r.exact)
	return r.rounded - before
}

// rounded is r in minor units, half away from zero. Amounts are bounded and shares never exceed them, so it fits.
func rounded(r *big.Rat) money.Minor {
	if r.IsInt() {
		return money.Minor(r.Num().Int64())
	}
	twice := new(big.Int).Lsh(r.Num(), 1)
	half := new(big.Int).Set(r.Denom())
	if r.Sign() < 0 {
		half.Neg(half)
	}
	twice.Add(twice, half)
	return money.Minor(twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1)).Int64())
}

// floor is the whole units of r, which is not negative where it matters: nothing is taken off less than nothing.
func floor(r *big.Rat) money.Minor {
	return money.Minor(new(big.Int).Div(r.Num(), r.Denom()).Int64())
}
