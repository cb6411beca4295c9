package invoice

import (
	"cmp"
	"strconv"
	"strings"

	"perennial/billing/fault"
)

// Numbering is how an environment shows the numbers of its invoices: as many digits as it says, at least, behind a
// prefix. The zero value shows the number alone. The number itself is a count without gaps, whatever the numbering.
type Numbering struct {
	Prefix string `json:"prefix"`
	Digits int    `json:"digits"`
}

const (
	maxPrefix = 20
	maxDigits = 12
)

// prefixLetters are what a prefix consists of: what any accounting system takes.
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
