package money

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/fault"
)

// Rounding is the direction in which a decimal is rounded. Up and down go by the magnitude: -1.5 is -2 up and -1 down.
type Rounding string

// The roundings.
const (
	RoundHalfUp Rounding = "half_up" // half away from zero
	RoundUp     Rounding = "up"      // away from zero
	RoundDown   Rounding = "down"    // towards zero
)

// IsKnown reports whether r is one of the roundings.
func (r Rounding) IsKnown() bool { return r == RoundHalfUp || r == RoundUp || r == RoundDown }

// QuotientDigits is the number of digits behind the point of a quotient that does not end.
const QuotientDigits = 18

// Quo is d / by, rounded half away from zero to QuotientDigits digits behind the point. by must not be zero.
func (d Decimal) Quo(by Decimal) Decimal {
	quotient := Decimal{given: true}
	// It is rounded twice. That is safe, because the first rounding keeps far more digits than a run of fours and nines
	// in a quotient of our numbers can have.
	must(apd.BaseContext.WithPrecision(maxDigits).Quo(&quotient.number, &d.number, &by.number))
	return quotient.RoundTo(QuotientDigits, RoundHalfUp)
}

// Part returns the part of d for [from, to) of a length. The parts of any partition sum to the whole.
func (d Decimal) Part(from, to, length int64) Decimal {
	upTo := func(n int64) Decimal { return d.Mul(Whole(n)).Quo(Whole(length)) }
	return upTo(to).Sub(upTo(from))
}

// RoundTo returns d with a number of digits behind the point; negative ones round to tens, hundreds and so on. An exact
// comparison of the cut-off part decides: apd rounds 1 up to hundreds as 0.
func (d Decimal) RoundTo(digits int32, how Rounding) Decimal {
	context := apd.BaseContext.WithPrecision(maxDigits)
	context.Rounding = apd.RoundDown
	cut := Decimal{given: true}
	must(context.Quantize(&cut.number, &d.number, -digits))
	unit := Whole(int64(d.Sign()))
	unit.number.Exponent = -digits
	rest := d.Sub(cut)
	switch {
	case rest.Sign() == 0, how == RoundDown:
	case how == RoundUp, rest.Mul(Whole(2*int64(d.Sign()))).Cmp(unit.Mul(Whole(int64(d.Sign())))) >= 0:
		cut = cut.Add(unit)
	}
	return cut.reduced()
}

// ReadDecimal reads what String wrote of the result of a calculation, which may have more digits than ParseDecimal
// accepts from a caller. Fault: decimal_invalid.
func ReadDecimal(s string) (Decimal, error) {
	if d, short := readShort(s); short {
		return d, nil
	}
	d := Decimal{given: true}
	if _, _, err := d.number.SetString(s); err != nil || d.number.Form != apd.Finite || d.number.NumDigits() > maxDigits {
		return Decimal{}, fault.New(fault.Invalid, "decimal_invalid", "%.30q is not a decimal number.", s)
	}
	return d.reduced(), nil
}

// maxShort is the number of digits that always fit into an int64.
const maxShort = 18

// readShort is ReadDecimal for plain numbers of few digits, as nearly all are, since records are read by the million.
// For others it returns false.
func readShort(s string) (Decimal, bool) {
	text := strings.TrimPrefix(s, "-")
	if text == "" || len(text) > maxShort+1 {
		return Decimal{}, false
	}
	var coefficient int64
	digits, exponent, pointed := 0, int32(0), false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			coefficient = 10*coefficient + int64(c-'0')
			if digits++; pointed {
				exponent--
			}
		case c == '.' && !pointed && i > 0 && i < len(text)-1:
			pointed = true
		default:
			return Decimal{}, false
		}
	}
	if digits > maxShort {
		return Decimal{}, false
	}
	for coefficient != 0 && coefficient%10 == 0 {
		coefficient /= 10
		exponent++
	}
	d := Whole(coefficient)
	if coefficient != 0 {
		d.number.Exponent, d.number.Negative = exponent, len(text) < len(s)
	}
	return d, true
}
