package view

import "perennial/billing/postal"

// Address is a postal address with the country and the region in it.
type Address struct {
	Line1      string `json:"line1,omitempty" maxLength:"200" example:"12 Rue Joss" doc:"Street and number, or a box."`
	Line2      string `json:"line2,omitempty" maxLength:"200" example:"BP 1234" doc:"What does not fit into line1, such as a floor."`
	City       string `json:"city,omitempty" maxLength:"100" example:"Douala" doc:"City, town or village."`
	PostalCode string `json:"postalCode,omitempty" maxLength:"20" example:"00237" doc:"As the country writes it."`
	Region     string `json:"region,omitempty" maxLength:"3" example:"CA" doc:"The same as the region beside the address: the part of an ISO 3166-2 code behind the hyphen."`
	Country    string `json:"country,omitempty" maxLength:"2" example:"CM" doc:"The same as the country beside the address: ISO 3166-1 alpha-2."`
}

// Postal returns the address without country and region.
func (a Address) Postal() postal.Address {
	return postal.Address{Line1: a.Line1, Line2: a.Line2, City: a.City, PostalCode: a.PostalCode}
}

// RenderAddress returns nil where nothing but the country and the region is known, which are shown beside it.
func RenderAddress(a postal.Address, region, country string) *Address {
	if a == (postal.Address{}) {
		return nil
	}
	return &Address{
		Line1: a.Line1, Line2: a.Line2, City: a.City, PostalCode: a.PostalCode, Region: region, Country: country,
	}
}
