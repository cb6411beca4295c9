package money

import (
	"math/big"

	"github.com/cockroachdb/apd/v3"
)

// Add is d + other.
func (d Decimal) Add(other Decimal) Decimal {
	sum := Decimal{given: true}
	must(exact.Add(&sum.number, &d.number, &other.number))
	return sum
}

// Sub is d - other.
func (d Decimal) Sub(other Decimal) Decimal {
	difference := Decimal{given: true}
	must(exact.Sub(&difference.number, &d.number, &other.number))
	return difference
}

// Mul is d × other.
func (d Decimal) Mul(other Decimal) Decimal {
	product := Decimal{given: true}
	must(exact.Mul(&product.number, &d.number, &other.number))
	return product
}

// Hundredth returns d percent as a factor.
func (d Decimal) Hundredth() Decimal {
	d.number.Exponent -= 2
	return d
}

// Portions returns the number of portions of a size that hold d, the last one counted in full: 0 for 0 and below. The
// size must be positive.
func (d Decimal) Portions(size Decimal) Decimal {
	if d.Sign() <= 0 {
		return Whole(0)
	}
	quotient := Decimal{given: true}
	// Two numbers with 24 digits each have a quotient of at most 48.
	must(apd.BaseContext.WithPrecision(maxDigits).QuoInteger(&quotient.number, &d.number, &size.number))
	if quotient.Mul(size).Cmp(d) < 0 {
		return quotient.Add(Whole(1))
	}
	return quotient
}

// must panics on errors that cannot happen: every Decimal is finite, and their exponents are bounded by what
// ParseDecimal accepts. A wrong amount of money would be worse than the panic.
func must(_ apd.Condition, err error) {
	if err != nil {
		panic("decimal arithmetic failed: " + err.Error())
	}
}

// Rat is d as a fraction, for shares that no decimal can hold.
func (d Decimal) Rat() *big.Rat {
	coefficient := new(big.Int).Set(d.number.Coeff.MathBigInt())
	if d.number.Negative {
		coefficient.Neg(coefficient)
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(d.number.Exponent, -d.number.Exponent))), nil)
	if d.number.Exponent > 0 {
		return new(big.Rat).SetInt(coefficient.Mul(coefficient, power))
	}
	return new(big.Rat).SetFrac(coefficient, power)
}
