package money

import (
	"math/big"
	"slices"
)

// Allocate splits total over weights by largest remainder: everyone gets the whole units of their share, and the units
// left over go one each to the largest remainders, the earlier first when equal. The result has the length of weights
// and sums to total (an empty list of weights gives an empty list).
//
// A negative weight counts as zero; if no weight is positive all count the same, so that money never disappears.
func Allocate(total Minor, weights []int64) []Minor {
	if len(weights) == 0 {
		return nil
	}
	weights, sum := usable(weights)
	shares := make([]Minor, len(weights))
	remainders := make([]*big.Int, len(weights))
	left := total
	for i, weight := range weights {
		product := new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(weight))
		share, remainder := product.QuoRem(product, sum, new(big.Int))
		shares[i], remainders[i] = Minor(share.Int64()), remainder.Abs(remainder)
		left -= shares[i]
	}
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return remainders[b].Cmp(remainders[a]) })
	unit := Minor(total.sign())
	for _, i := range order {
		if left == 0 {
			break
		}
		shares[i] += unit
		left -= unit
	}
	return shares
}

// usable replaces negative weights by zero, and weights that are all zero by ones. The sum may exceed an int64.
func usable(weights []int64) ([]int64, *big.Int) {
	sum, clean := new(big.Int), make([]int64, len(weights))
	for i, weight := range weights {
		clean[i] = max(weight, 0)
		sum.Add(sum, big.NewInt(clean[i]))
	}
	if sum.Sign() > 0 {
		return clean, sum
	}
	for i := range clean {
		clean[i] = 1
	}
	return clean, sum.SetInt64(int64(len(clean)))
}
