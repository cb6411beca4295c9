package api

import "perennial/billing/invoice"

// Buyer is a customer as an invoice shows it.
type Buyer struct {
	Name    string  `json:"name,omitempty" example:"Amina Nakato"`
	Email   string  `json:"email,omitempty" example:"amina@example.com"`
	Country string  `json:"country,omitempty" example:"UG" doc:"ISO 3166-1 alpha-2."`
	Region  string  `json:"region,omitempty" doc:"The part of an ISO 3166-2 code behind the hyphen."`
	TaxIDs  []TaxID `json:"taxIds,omitempty" doc:"The tax ids, such as a VAT number."`
}

// renderBuyer returns nil for one of whom nothing is known.
func renderBuyer(b invoice.Buyer) *Buyer {
	shown := Buyer{Name: b.Name, Email: b.Email, Country: b.Country, Region: b.Region}
	for _, t := range b.TaxIDs {
		shown.TaxIDs = append(shown.TaxIDs, TaxID(t))
	}
	if b.Name+b.Email+b.Country+b.Region == "" && len(b.TaxIDs) == 0 {
		return nil
	}
	return &shown
}
