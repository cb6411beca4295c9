package invoice

import (
	"perennial/billing/postal"
	"perennial/billing/tax"
)

// Buyer is the customer as an invoice shows it: personal data, which an erasure takes. The zero value says nothing.
type Buyer struct {
	Name     string         `json:"name,omitzero"`
	Email    string         `json:"email,omitzero"`
	Phone    string         `json:"phone,omitzero"`
	Address  postal.Address `json:"address,omitzero"`
	Country  string         `json:"country,omitzero"` // ISO 3166-1 alpha-2
	Region   string         `json:"region,omitzero"`
	Locale   string         `json:"locale,omitzero"`   // BCP 47: in which the document is written
	TimeZone string         `json:"timeZone,omitzero"` // IANA: of its dates
	TaxIDs   tax.IDs        `json:"taxIds,omitzero"`
}
