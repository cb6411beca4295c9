package invoice

import "perennial/billing/fault"

// Seller is the issuer, as invoices show it. The zero value shows nothing. It is a company's: no personal data.
type Seller struct {
	Name    string `json:"name,omitzero"`
	Address string `json:"address,omitzero"` // in one line
	Country string `json:"country,omitzero"` // ISO 3166-1 alpha-2
	TaxID   string `json:"taxId,omitzero"`
	Email   string `json:"email,omitzero"`
}

// Validate refuses details without a name: seller_name_missing. Texts and the country are the caller's to check.
func (s Seller) Validate() error {
	if s != (Seller{}) && s.Name == "" {
		return fault.InvalidParam("seller.name", "seller_name_missing",
			"The seller's name is missing. Send it with the other details, or none of them.")
	}
	return nil
}
