package view

import "perennial/billing/tax"

// TaxID is a number under which a tax authority knows a customer.
type TaxID struct {
	Type  string `json:"type" minLength:"1" maxLength:"40" example:"eu_vat" doc:"The kind of number."`
	Value string `json:"value" minLength:"1" maxLength:"40" example:"DE123456789" doc:"The number. Personal data, erased with the customer."`
}

// ParseTaxIDs reads the tax ids of a form.
func ParseTaxIDs(form []TaxID) tax.IDs {
	var ids tax.IDs
	for _, t := range form {
		ids = append(ids, tax.ID(t))
	}
	return ids
}

// RenderTaxIDs shows the numbers of a customer.
func RenderTaxIDs(ids tax.IDs) []TaxID {
	var out []TaxID
	for _, t := range ids {
		out = append(out, TaxID(t))
	}
	return out
}
