package money

import "math/big"

// Part is the share of total that belongs to [from, to) of a length: round(total×to/length) − round(total×from/length).
// Rounding the running total instead of each part means that the parts of any partition sum to the whole, to the minor
// unit.
//
// Bounds outside [0, length] are moved to its ends, and a span that ends before it starts is empty. A whole without
// length cannot be divided: its part is the total.
func Part(total Minor, from, to, length int64) Minor {
	if length <= 0 {
		return total
	}
	from = min(max(from, 0), length)
	to = min(max(to, from), length)
	return upTo(total, to, length) - upTo(total, from, length)
}

// upTo is total×n/length, 0 <= n <= length, rounded half away from zero. The product needs up to 127 bits.
func upTo(total Minor, n, length int64) Minor {
	product := new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(n))
	quotient, rest := product.QuoRem(product, big.NewInt(length), new(big.Int))
	rest.Abs(rest).Lsh(rest, 1)
	if rest.Cmp(big.NewInt(length)) >= 0 {
		quotient.Add(quotient, big.NewInt(int64(total.sign())))
	}
	return Minor(quotient.Int64())
}

func (m Minor) sign() int {
	switch {
	case m < 0:
		return -1
	case m > 0:
		return 1
	}
	return 0
}
