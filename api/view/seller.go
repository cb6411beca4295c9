package view

import "perennial/billing/invoice"

// Seller is the issuer, as invoices show it.
type Seller struct {
	Name    string `json:"name,omitempty" maxLength:"200" example:"Acme SARL" doc:"The seller's name. Required with any other detail."`
	Address string `json:"address,omitempty" maxLength:"500" example:"12 Rue Joss, BP 1234, Douala" doc:"In one line."`
	Country string `json:"country,omitempty" maxLength:"2" example:"CM" doc:"ISO 3166-1 alpha-2."`
	TaxID   string `json:"taxId,omitempty" maxLength:"40" example:"M012345678901A" doc:"The number under which a tax authority knows the seller."`
	Email   string `json:"email,omitempty" maxLength:"254" example:"billing@example.com" doc:"The address for questions about invoices."`
}

// RenderSeller returns nil for one who says nothing.
func RenderSeller(s invoice.Seller) *Seller {
	if s == (invoice.Seller{}) {
		return nil
	}
	shown := Seller(s)
	return &shown
}
