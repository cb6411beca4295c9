package money

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/fault"
)

// Decimal is an exact decimal number: a quantity, a unit price in major units of a currency, a percentage. A value
// never changes, so that copies are safe. The zero value says that no number was given: it counts as 0, and `omitzero`
// leaves it out of JSON, where a 0 that was given stays.
type Decimal struct {
	number apd.Decimal
	given  bool
}

// A number that a caller gives has at most so many digits before and behind the decimal point. Products and sums of
// such numbers stay far below the 200 digits that RoundDecimal accepts, and no calculation can be made to take long.
const (
	maxWholeDigits    = 12
	maxFractionDigits = 12
)

// exact never rounds: its precision is without limit, which the bounds of ParseDecimal make safe.
var exact = apd.Context{MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Traps: apd.DefaultTraps}

// ParseDecimal reads a plain decimal number such as "12", "0.0035" or "-1.5", without exponent: at most 12 digits
// before the point and 12 behind it. Anything else is `decimal_invalid`.
func ParseDecimal(s string) (Decimal, error) {
	d, ok := parse(s, maxWholeDigits, maxFractionDigits)
	if !ok {
		return Decimal{}, fault.New(fault.Invalid, "decimal_invalid",
			"%.30q is not a decimal number. Send a string such as \"0.0035\" with at most %d digits before the point "+
				"and %d behind it.", s, maxWholeDigits, maxFractionDigits)
	}
	return d.reduced(), nil
}

// parse reads a number with at most so many digits before and behind the point.
func parse(s string, whole, fraction int) (Decimal, bool) {
	before, behind, pointed := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if !digits(before, whole) || (pointed && !digits(behind, fraction)) {
		return Decimal{}, false
	}
	d := Decimal{given: true}
	_, _, err := d.number.SetString(s)
	return d, err == nil
}

func digits(s string, most int) bool {
	if s == "" || len(s) > most {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

// Whole is the integer n as a Decimal.
func Whole(n int64) Decimal {
	d := Decimal{given: true}
	d.number.SetInt64(n)
	return d
}

// Units is an amount in minor units as a Decimal in major units: 1999 of USD is 19.99.
func Units(m Minor, c Currency) Decimal {
	d := Whole(int64(m))
	d.number.Exponent = -int32(c.Decimals())
	return d
}

// ParseMinor reads a plain decimal number of minor units of a currency, which may be a part of one, as a Decimal in
// major units: "0.35" of USD is 0.0035. It reads the form in which InMinor writes any number that ParseDecimal reads:
// compared with that, the number has as many digits more before the point, and fewer behind it, as the currency has
// decimals. Fault: decimal_invalid.
func ParseMinor(s string, c Currency) (Decimal, error) {
	decimals := c.Decimals()
	whole, fraction := maxWholeDigits+decimals, maxFractionDigits-decimals
	d, ok := parse(s, whole, fraction)
	if !ok {
		return Decimal{}, fault.New(fault.Invalid, "decimal_invalid",
			"%.30q is not a decimal number. Send a string such as \"0.35\" with at most %d digits before the point "+
				"and %d behind it.", s, whole, fraction)
	}
	d.number.Exponent -= int32(decimals)
	return d.reduced(), nil
}

// InMinor is a number of major units as one of minor units, exactly: 0.0035 of USD is 0.35.
func (d Decimal) InMinor(c Currency) Decimal {
	if !d.given {
		return d
	}
	d = d.reduced()
	d.number.Exponent += int32(c.Decimals())
	return d
}

// ShownInMinor is InMinor of a number that String wrote; empty: of none.
func ShownInMinor(major string, c Currency) string {
	d := Decimal{given: true}
	if _, _, err := d.number.SetString(major); err != nil {
		return ""
	}
	return d.InMinor(c).String()
}

// Round returns the amount of d major units, rounded half away from zero to minor units of c. Faults: those of
// RoundDecimal.
func (d Decimal) Round(c Currency) (Minor, error) { return RoundDecimal(&d.number, c) }

// IsGiven reports whether there is a number; 0 is one.
func (d Decimal) IsGiven() bool { return d.given }

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int { return d.number.Sign() }

// Cmp is -1, 0 or 1 where d is less than, equal to or greater than other.
func (d Decimal) Cmp(other Decimal) int { return d.number.Cmp(&other.number) }

// String is the number without exponent and without zeros at its end; "" where none was given.
func (d Decimal) String() string {
	if !d.given {
		return ""
	}
	reduced := d.reduced()
	return reduced.number.Text('f')
}

// GoString shows the number in the output of tests.
func (d Decimal) GoString() string { return "money.Decimal(" + d.String() + ")" }

// MarshalText makes a Decimal a string in JSON.
func (d Decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what ParseDecimal reads; an empty text is no number. A JSON number is not accepted, because many
// clients hold those as binary fractions.
func (d *Decimal) UnmarshalText(text []byte) (err error) {
	if len(text) == 0 {
		*d = Decimal{}
		return nil
	}
	*d, err = ParseDecimal(string(text))
	return err
}

// reduced drops the zeros at the end, so that equal numbers that were given are equal values. It works on a number of
// its own, because the copies of a large one share its digits.
func (d Decimal) reduced() Decimal {
	reduced := Decimal{given: d.given}
	reduced.number.Reduce(&d.number)
	if reduced.number.IsZero() {
		reduced.number.Negative = false
	}
	return reduced
}

// MarshalBinary writes the text, for packages that keep values as bytes.
func (d Decimal) MarshalBinary() ([]byte, error) { return d.MarshalText() }

// UnmarshalBinary reads the output of MarshalBinary. Faults: those of UnmarshalText.
func (d *Decimal) UnmarshalBinary(text []byte) error { return d.UnmarshalText(text) }
