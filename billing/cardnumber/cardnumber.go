// Package cardnumber owns how card numbers are recognised, so that none is ever stored.
// It does not own tokens, which providers check.
package cardnumber

import (
	"regexp"
	"strings"

	"perennial/billing/fault"
)

// Check refuses a text with a card number in it: a card scheme's prefix and length with a right check digit, grouped by
// spaces or hyphens or not at all. The check digit alone would refuse every tenth number of 13 to 19 digits. With the
// prefix, Unix times in milliseconds to nanoseconds and device ids (IMEI) pass, and a random number of 16 digits is
// refused three times in a hundred; a letter directly before a number says that it is an id. Fault:
// card_number_refused.
func Check(param, text string) error {
	if In(text) {
		return fault.InvalidParam(param, "card_number_refused",
			"`%s` contains a card number, which Perennial never stores. Remove it. If the number is an id of yours, "+
				"send it with a letter directly before it.", param)
	}
	return nil
}

// grouped is digits with at most one space or hyphen between two of them.
var grouped = regexp.MustCompile(`[0-9](?:[ \x{00a0}-]?[0-9]){12,}`)

// In reports whether a text contains a card number.
func In(text string) bool {
	for _, at := range grouped.FindAllStringIndex(text, -1) {
		groups := strings.FieldsFunc(text[at[0]:at[1]], func(r rune) bool { return r < '0' || r > '9' })
		for i := range groups {
			if i == 0 && at[0] > 0 && isLetter(text[at[0]-1]) {
				continue
			}
			number := ""
			for _, g := range groups[i:] {
				if number += g; len(number) > longest {
					break
				}
				if ofScheme(number) && Luhn(number) {
					return true
				}
			}
		}
	}
	return false
}

func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b == '_' }

const longest = 19

// schemes are the prefixes of card numbers, first to last, with the lengths in use.
var schemes = []struct {
	first, last     string
	shortest, until int
}{
	{"4", "4", 13, 13}, {"4", "4", 16, 16}, {"4", "4", 19, 19}, // Visa
	{"51", "55", 16, 16}, {"2221", "2720", 16, 16}, // Mastercard
	{"34", "34", 15, 15}, {"37", "37", 15, 15}, // American Express
	{"6011", "6011", 16, longest}, {"644", "649", 16, longest}, {"65", "65", 16, longest}, // Discover
	{"300", "305", 14, 14}, {"36", "36", 14, 14}, {"38", "39", 14, 14}, // Diners Club
	{"3528", "3589", 16, longest},                                                               // JCB
	{"62", "62", 16, longest},                                                                   // UnionPay
	{"5018", "5018", 13, longest}, {"5020", "5020", 13, longest}, {"5038", "5038", 13, longest}, // Maestro
	{"5893", "5893", 13, longest}, {"6304", "6304", 13, longest}, {"6759", "6763", 13, longest},
	{"506099", "506198", 16, longest}, {"507865", "507964", 16, longest}, // Verve
	{"2200", "2204", 16, longest}, // Mir
}

func ofScheme(number string) bool {
	for _, s := range schemes {
		if len(number) < s.shortest || len(number) > s.until {
			continue
		}
		if prefix := number[:len(s.first)]; s.first <= prefix && prefix <= s.last {
			return true
		}
	}
	return false
}

// Luhn reports whether the last digit is the check digit of the others.
func Luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}
