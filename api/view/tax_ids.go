package view

import "perennial/billing/tax"

// TaxIDForm names a number under which a tax authority knows a customer.
type TaxIDForm struct {
	Type    string `json:"type" minLength:"1" maxLength:"40" example:"eu_vat" doc:"The kind of number. The form and the check digits of these are checked: eu_vat, gb_vat, no_vat, ch_vat, au_abn, nz_gst, in_gst, za_vat, ke_pin, ng_tin, cm_niu, ug_tin, us_ein, ca_gst_hst. Any other is taken as it is."`
	Value   string `json:"value" minLength:"1" maxLength:"40" example:"DE136695976" doc:"The number; of eu_vat with its prefix. Personal data, erased with the customer."`
	Country string `json:"country,omitempty" maxLength:"2" example:"DE" doc:"ISO 3166-1 alpha-2, of the authority. Of the types above the number says it."`
}

// TaxID is a number under which a tax authority knows a customer, and what is known of it.
type TaxID struct {
	Type       string `json:"type" example:"eu_vat" doc:"The kind of number."`
	Value      string `json:"value" example:"DE136695976" doc:"The number. Personal data, erased with the customer."`
	Country    string `json:"country,omitempty" example:"DE" doc:"ISO 3166-1 alpha-2, of the authority. Absent: not known."`
	Status     string `json:"status" enum:"verified,well_formed,doubtful,unchecked" example:"well_formed" doc:"verified: a person confirmed it. well_formed: its form and its check digits are right. doubtful: its check digits are wrong, which few valid numbers have. unchecked: no form of its type is known. Reverse charge by rule needs one of the first two."`
	VerifiedAt int64  `json:"verifiedAt,omitempty" example:"1763640000" doc:"Unix seconds, real time, of the confirmation. It ends with the number."`
	VerifiedBy string `json:"verifiedBy,omitempty" example:"key_01jcz6dyqx4w9s1c2k7v5h8m3n" doc:"The API key of who confirmed it."`
}

// ParseTaxIDs reads the tax ids of a form.
func ParseTaxIDs(form []TaxIDForm) tax.IDs {
	var ids tax.IDs
	for _, t := range form {
		ids = append(ids, tax.ID{Type: t.Type, Value: t.Value, Country: t.Country})
	}
	return ids
}

// RenderTaxIDs shows the numbers of a customer.
func RenderTaxIDs(ids tax.IDs) []TaxID {
	var out []TaxID
	for _, t := range ids {
		out = append(out, TaxID{
			Type: t.Type, Value: t.Value, Country: t.Of(), Status: string(t.Standing()), VerifiedAt: Unix(t.VerifiedAt),
			VerifiedBy: t.VerifiedBy,
		})
	}
	return out
}
