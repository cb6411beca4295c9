package customers

import (
	"cmp"

	"perennial/billing/tax"
)

// notExempt is the API's value for no exemption.
const notExempt = "none"

func exemption(s string) tax.Exemption {
	if s == notExempt {
		return ""
	}
	return tax.Exemption(s)
}

func renderExemption(e tax.Exemption) string { return cmp.Or(string(e), notExempt) }
