package invoice

import "perennial/billing/tax"

// Buyer is the customer as an invoice shows it: personal data, which an erasure takes. The zero value says nothing.
type Buyer struct {
	Name    string  `json:"name,omitzero"`
	Email   string  `json:"email,omitzero"`
	Country string  `json:"country,omitzero"` // ISO 3166-1 alpha-2
	Region  string  `json:"region,omitzero"`
	TaxIDs  tax.IDs `json:"taxIds,omitzero"`
}
