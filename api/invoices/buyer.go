package invoices

import (
	"perennial/api/view"
	"perennial/billing/invoice"
)

// Buyer is a customer as an invoice shows it.
type Buyer struct {
	Name    string       `json:"name,omitempty" example:"Amina Nakato" doc:"The customer's name."`
	Email   string       `json:"email,omitempty" example:"amina@example.com" doc:"The customer's email address."`
	Country string       `json:"country,omitempty" example:"UG" doc:"ISO 3166-1 alpha-2."`
	Region  string       `json:"region,omitempty" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen."`
	TaxIDs  []view.TaxID `json:"taxIds,omitempty" doc:"The customer's tax ids, such as a VAT number."`
}

// renderBuyer returns nil for a buyer without any data.
func renderBuyer(b invoice.Buyer) *Buyer {
	if b.Name+b.Email+b.Country+b.Region == "" && len(b.TaxIDs) == 0 {
		return nil
	}
	return &Buyer{Name: b.Name, Email: b.Email, Country: b.Country, Region: b.Region, TaxIDs: view.RenderTaxIDs(b.TaxIDs)}
}
