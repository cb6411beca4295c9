// Package money owns amounts: integers in ISO 4217 minor units, their currencies, and the one rounding rule (half
// away from zero, once, at currency precision). It does not own exchange rates, locales or what anything costs.
package money

import (
	"math/bits"

	"perennial/billing/fault"
)

// Minor is an amount in minor units of some currency (cents for USD, whole francs for XAF).
type Minor int64

// MaxMinor is the largest amount we accept or produce for one line or invoice. It leaves room to add nine million of
// them in an int64, and is still exact in the floating point numbers of a JavaScript client.
const MaxMinor Minor = 999_999_999_999

// Check refuses an amount beyond ±MaxMinor with `amount_too_large`.
func (m Minor) Check() error {
	if m > MaxMinor || m < -MaxMinor {
		return tooLarge()
	}
	return nil
}

// Sum adds all amounts, or answers `amount_too_large`. Only the total has to fit, so the order never matters.
func Sum(ms ...Minor) (Minor, error) {
	var hi, lo uint64 // a 128 bit two's complement total: no list of int64 can overflow it
	for _, m := range ms {
		var carry uint64
		lo, carry = bits.Add64(lo, uint64(m), 0)
		hi, _ = bits.Add64(hi, uint64(int64(m)>>63), carry)
	}
	total := Minor(lo)
	if hi != uint64(int64(total)>>63) {
		return 0, tooLarge()
	}
	if err := total.Check(); err != nil {
		return 0, err
	}
	return total, nil
}

func tooLarge() error {
	return fault.New(fault.Invalid, "amount_too_large",
		"The amount is too large. Send at most %d minor units.", int64(MaxMinor))
}
