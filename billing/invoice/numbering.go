package invoice

import (
	"cmp"
	"strconv"
	"strings"

	"perennial/billing/fault"
)

// Numbering is the format of an environment's invoice numbers: a prefix and at least Digits digits. The zero value
// shows the number alone. The number itself is a count without gaps, whatever the numbering.
type Numbering struct {
	Prefix string `json:"prefix"`
	Digits int    `json:"digits"`
}

const (
	maxPrefix = 20
	maxDigits = 12
)

// prefixLetters are the characters of prefixes: any accounting system takes them.
const prefixLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-"

// Validate refuses a prefix that is too long, has other characters or ends with a digit, and too many digits:
// invoice_number_prefix_malformed, invoice_number_digits_out_of_range.
func (n Numbering) Validate() error {
	// Behind a digit two numbers could read alike: 2026-1 and 5, 2026- and 15.
	if len(n.Prefix) > maxPrefix || strings.Trim(n.Prefix, prefixLetters) != "" ||
		strings.TrimRight(n.Prefix, "0123456789") != n.Prefix {
		return fault.InvalidParam("invoiceNumbers.prefix", "invoice_number_prefix_malformed",
			"The prefix of invoice numbers must have at most %d letters, digits and the characters / . _ -, and must not end "+
				"with a digit.", maxPrefix)
	}
	if n.Digits < 0 || n.Digits > maxDigits {
		return fault.InvalidParam("invoiceNumbers.digits", "invoice_number_digits_out_of_range",
			"The digits of invoice numbers must be 0 to %d. The request has %d.", maxDigits, n.Digits)
	}
	return nil
}

// ShownNumber is the number as it was shown at issue; empty: a draft has none.
func (i Invoice) ShownNumber() string {
	if i.Number == 0 {
		return ""
	}
	return cmp.Or(i.NumberText, strconv.FormatInt(i.Number, 10))
}
