package money

import (
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"perennial/billing/fault"
)

// maxDigits bounds the coefficient of a decimal we are willing to round: far more than any unit price times any
// quantity needs, far less than it takes to keep a processor busy.
const maxDigits = 200

// RoundDecimal rounds a decimal in major units ("19.995") half away from zero to minor units of c. Faults:
// `amount_invalid` where it is no finite number, `amount_too_large` beyond ±MaxMinor.
func RoundDecimal(d *apd.Decimal, c Currency) (Minor, error) {
	if d == nil || d.Form != apd.Finite || d.NumDigits() > maxDigits {
		return 0, invalid()
	}
	if d.IsZero() {
		return 0, nil
	}
	decimals := int64(c.Decimals())
	// How many digits of minor units there are decides before any arithmetic,
	// so that 1e999999 costs nothing. MaxMinor has twelve.
	switch leading := d.NumDigits() + int64(d.Exponent) + decimals; {
	case leading < 0:
		return 0, nil
	case leading > 12:
		return 0, tooLarge()
	}
	context := apd.BaseContext.WithPrecision(maxDigits)
	context.Rounding = apd.RoundHalfUp // apd's "half up" looks at the magnitude: half away from zero
	var rounded apd.Decimal
	if _, err := context.Quantize(&rounded, d, -int32(decimals)); err != nil {
		return 0, invalid()
	}
	rounded.Exponent = 0 // the rest is the count of minor units
	n, err := rounded.Int64()
	if err != nil {
		return 0, tooLarge()
	}
	if err := Minor(n).Check(); err != nil {
		return 0, err
	}
	return Minor(n), nil
}

// Format writes an amount for people and logs: "19.99 USD", "5000 XAF", "-0.05 EUR".
func Format(m Minor, c Currency) string {
	return FormatUnits(m, c) + " " + string(c)
}

// FormatUnits is the number of Format without the code; RoundDecimal reads it back.
func FormatUnits(m Minor, c Currency) string {
	digits, sign := strconv.FormatInt(int64(m), 10), ""
	if m < 0 {
		digits, sign = digits[1:], "-"
	}
	decimals := c.Decimals()
	if decimals == 0 {
		return sign + digits
	}
	if missing := decimals + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - decimals
	return sign + digits[:point] + "." + digits[point:]
}

func invalid() error {
	return fault.New(fault.Invalid, "amount_invalid",
		"The amount is not a number that its currency can represent. Send fewer decimals.")
}
