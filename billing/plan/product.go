package plan

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/metadata"
)

// Product groups plans: it is sold at different prices and intervals. A product that is not active hides nothing: each
// of its plans is archived separately.
type Product struct {
	ID          string
	Name        string
	Description string
	Active      bool
	Metadata    metadata.Pairs
	CreatedAt   time.Time
}

// Validate checks a new product. Fault: product_name_missing.
func (p Product) Validate() error {
	if p.Name == "" {
		return fault.InvalidParam("name", "product_name_missing", "The product's name is missing. Send a name.")
	}
	return nil
}
