package money

import (
	"github.com/bojanz/currency"

	"perennial/billing/fault"
)

// Currency is an ISO 4217 code in upper case. Values come from ParseCurrency.
type Currency string

// corrections has the codes in which the library (CLDR 47) differs from the present ISO 4217: their exponent, or
// withdrawn. Every other code is right in the library, including all of those where payment providers disagree with ISO
// (UGX, ISK, HUF, TWD, MGA); the tests have the list.
var corrections = map[Currency]int{
	"XCG": 2,         // Caribbean guilder, since 31 March 2025; the library does not know it yet
	"ANG": withdrawn, // replaced by XCG
	"BGN": withdrawn, // Bulgaria pays in EUR since 1 January 2026
}

const withdrawn = -1

// ParseCurrency accepts exactly an active ISO 4217 code in upper case; anything else is `currency_unknown`.
func ParseCurrency(s string) (Currency, error) {
	exponent, corrected := corrections[Currency(s)]
	if (corrected && exponent == withdrawn) || (!corrected && (s == "" || !currency.IsValid(s))) {
		return "", fault.InvalidParam("currency", "currency_unknown",
			"%.10q is not an active ISO 4217 currency code. Send three uppercase letters, such as EUR.", s)
	}
	return Currency(s), nil
}

// Decimals is the ISO 4217 exponent: how many digits of an amount stand behind the decimal point. A withdrawn code
// keeps the exponent it had, because old invoices stay readable; an unknown one has 2.
func (c Currency) Decimals() int {
	if exponent, ok := corrections[c]; ok && exponent != withdrawn {
		return exponent
	}
	if digits, ok := currency.GetDigits(string(c)); ok {
		return int(digits)
	}
	return 2
}

// String is the code.
func (c Currency) String() string { return string(c) }
