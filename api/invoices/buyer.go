package invoices

import (
	"reflect"

	"perennial/api/view"
	"perennial/billing/invoice"
)

// Buyer is a customer as an invoice shows it.
type Buyer struct {
	Name     string        `json:"name,omitempty" example:"Amina Nakato" doc:"The customer's name."`
	Email    string        `json:"email,omitempty" example:"amina@example.com" doc:"The customer's email address."`
	Phone    string        `json:"phone,omitempty" example:"+256700000001" doc:"The customer's phone number."`
	Address  *view.Address `json:"address,omitempty" doc:"The customer's postal address."`
	Country  string        `json:"country,omitempty" example:"UG" doc:"ISO 3166-1 alpha-2."`
	Region   string        `json:"region,omitempty" example:"CA" doc:"The part of an ISO 3166-2 code behind the hyphen."`
	Locale   string        `json:"locale,omitempty" example:"en-UG" doc:"BCP 47: the language in which the customer reads the document."`
	TimeZone string        `json:"timeZone,omitempty" example:"Africa/Kampala" doc:"IANA: of the dates that the customer reads."`
	TaxIDs   []view.TaxID  `json:"taxIds,omitempty" doc:"The customer's tax ids, such as a VAT number."`
}

// renderBuyer returns nil for a buyer without any data.
func renderBuyer(b invoice.Buyer) *Buyer {
	if reflect.DeepEqual(b, invoice.Buyer{}) {
		return nil
	}
	ids := view.RenderTaxIDs(b.TaxIDs)
	for i := range ids {
		ids[i].VerifiedBy = "" // not for who receives the invoice
	}
	return &Buyer{
		Name: b.Name, Email: b.Email, Phone: b.Phone, Address: view.RenderAddress(b.Address, b.Region, b.Country),
		Country: b.Country, Region: b.Region, Locale: b.Locale, TimeZone: b.TimeZone, TaxIDs: ids,
	}
}
