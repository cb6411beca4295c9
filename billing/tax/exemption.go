package tax

import "perennial/billing/fault"

// Exemption says whether a customer's invoices are taxed.
type Exemption string

// The exemptions. Empty: none.
const (
	Exempt  Exemption = "exempt"  // owes no tax
	Reverse Exemption = "reverse" // owes the tax instead of the seller, who notes that on the invoice
)

// Validate refuses what is no exemption: tax_exempt_unknown.
func (e Exemption) Validate() error {
	switch e {
	case "", Exempt, Reverse:
		return nil
	}
	return fault.InvalidParam("taxExempt", "tax_exempt_unknown",
		"`taxExempt` cannot be %.40q. Send `none`, `exempt` or `reverse`.", string(e))
}

// ID is a number under which a tax authority knows a customer, such as a VAT number. It is personal data.
type ID struct {
	Type  string `json:"type"` // such as eu_vat
	Value string `json:"value"`
}

// IDs are those of one customer.
type IDs []ID

// MaxIDs bounds the tax ids of a customer.
const MaxIDs = 5

// Validate refuses too many of them, and one without type or value: tax_ids_out_of_range, tax_id_malformed.
func (ids IDs) Validate() error {
	if len(ids) > MaxIDs {
		return fault.InvalidParam("taxIds", "tax_ids_out_of_range",
			"A customer has at most %d tax ids. The request has %d.", MaxIDs, len(ids))
	}
	for _, id := range ids {
		if id.Type == "" || id.Value == "" || len(id.Type) > 40 || len(id.Value) > 40 {
			return fault.InvalidParam("taxIds", "tax_id_malformed",
				"A tax id must have a `type`, such as eu_vat, and a `value`, each of at most 40 characters.")
		}
	}
	return nil
}
