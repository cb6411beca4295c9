// Package postal owns postal addresses as people write them. It does not own countries and regions, which decide
// about taxes and routing and which their owners have beside it.
package postal

import (
	"perennial/billing/fault"
	"perennial/billing/text"
)

// Address is where mail reaches a person, without region and country. The zero value says nothing. Its form differs
// from country to country, so that only what no line may hold is refused.
type Address struct {
	Line1      string `json:"line1,omitzero"`
	Line2      string `json:"line2,omitzero"`
	City       string `json:"city,omitzero"`
	PostalCode string `json:"postalCode,omitzero"`
}

// Check refuses an address with a second line alone, and texts that are none. Faults: address_line_missing, those of
// text.Check.
func (a Address) Check() error {
	if a.Line2 != "" && a.Line1 == "" {
		return fault.InvalidParam("address.line1", "address_line_missing",
			"The address has a second line without a first one. Send `line1` too, or the text as `line1` alone.")
	}
	return fault.Joined(text.Check("address.line1", a.Line1), text.Check("address.line2", a.Line2),
		text.Check("address.city", a.City), text.Check("address.postalCode", a.PostalCode))
}
