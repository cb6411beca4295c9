// Package metadata owns a caller's own notes on a resource: what a note may be and how long. It does not own where
// notes are kept, nor how many a request may bring.
package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"perennial/billing/cardnumber"
	"perennial/billing/fault"
)

// Pairs are free-form notes. A value is a string, a json.Number, a bool or nil: a number stays the digits that were
// written, because nobody here calculates with it and a float64 would lose some.
type Pairs map[string]any

// The longest key, text and number, in characters.
const (
	MaxKey    = 40
	MaxText   = 500
	MaxNumber = 40
)

// The refusals. ErrNested is also for who notices nesting before it is decoded.
var (
	ErrNested = fault.New(fault.Invalid, "type_wrong",
		"A metadata value must be a string, a number, true, false or null. Send lists and objects as a string.")
	errTooLarge = fault.New(fault.Invalid, "metadata_too_large",
		"`metadata` is too large. Send keys of 1 to %d characters, strings of at most %d and numbers "+
			"written with at most %d.", MaxKey, MaxText, MaxNumber)
)

// UnmarshalJSON keeps numbers as they are written.
func (p *Pairs) UnmarshalJSON(b []byte) error {
	if string(b) == "{}" { // most rows have none
		*p = Pairs{}
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var pairs map[string]any
	if err := dec.Decode(&pairs); err != nil {
		return err
	}
	*p = pairs
	return nil
}

// Check bounds what is stored for nothing but to be read back; of several wrong notes it names the first by key.
// Faults: type_wrong, metadata_too_large, card_number_refused.
func (p Pairs) Check() error {
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if err := cardnumber.Check("metadata", key); err != nil {
			return err
		}
		if err := checkPair(key, p[key]); err != nil {
			return err.In(strings.TrimSuffix("metadata."+key, "."))
		}
		if err := cardnumber.Check("metadata."+key, fmt.Sprint(p[key])); err != nil {
			return err
		}
	}
	return nil
}

// Same reports whether two sets of notes say the same. Numbers count by their value: 1e3 is 1000, as 1.50 is 1.5.
func (p Pairs) Same(q Pairs) bool {
	return maps.EqualFunc(p, q, func(a, b any) bool {
		one, isNumber := a.(json.Number)
		other, bothNumbers := b.(json.Number)
		return a == b || isNumber && bothNumbers && sameNumber(one.String(), other.String())
	})
}

// sameNumber compares digits, not binary fractions: a note may have more digits than those hold.
func sameNumber(a, b string) bool {
	one, exponent, ok := scientific(a)
	other, otherExponent, otherOK := scientific(b)
	return ok && otherOK && one == other && (exponent == otherExponent || one == "")
}

// scientific takes a number apart: digits with their sign, without zeros at either end, and the power of ten that they
// are multiplied by. Zero has no digits. It does not know exponents beyond 32 bits.
func scientific(number string) (digits string, exponent int, ok bool) {
	mantissa, power, scaled := strings.Cut(strings.ToLower(number), "e")
	if scaled {
		n, err := strconv.ParseInt(power, 10, 32)
		if err != nil {
			return "", 0, false
		}
		exponent = int(n)
	}
	mantissa, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short) - len(fraction)
	if negative && short != "" {
		short = "-" + short
	}
	return short, exponent, true
}

func checkPair(key string, value any) *fault.Error {
	tooLarge := key == "" || utf8.RuneCountInString(key) > MaxKey
	switch v := value.(type) {
	case string:
		tooLarge = tooLarge || utf8.RuneCountInString(v) > MaxText
	case json.Number:
		tooLarge = tooLarge || len(v) > MaxNumber
	case bool, nil:
	default:
		return ErrNested
	}
	if tooLarge {
		return errTooLarge
	}
	return nil
}
