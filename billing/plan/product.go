package plan

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/tax"
)

// Product groups plans: it is sold at different prices and intervals. A product that is not active hides nothing: each
// of its plans is archived separately.
type Product struct {
	ID          string
	Name        string
	Description string
	TaxCategory tax.Category // of the lines of its plans and add-ons; empty: none
	Active      bool
	Metadata    metadata.Pairs
	CreatedAt   time.Time
}

// Validate checks a new product. Faults: product_name_missing, tax_category_malformed.
func (p Product) Validate() error {
	if p.Name == "" {
		return fault.InvalidParam("name", "product_name_missing", "The product's name is missing. Send a name.")
	}
	return p.TaxCategory.Validate()
}
