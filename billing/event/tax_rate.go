package event

// The types about tax rates.
const (
	TypeTaxRateCreated Type = "tax_rate.created"
	TypeTaxRateUpdated Type = "tax_rate.updated"
)

// TaxRateCreated means that invoices may be taxed with a rate.
type TaxRateCreated struct {
	ID string `json:"id" doc:"The tax rate."`
}

// TaxRateUpdated means that a tax rate was renamed, archived or offered again.
type TaxRateUpdated struct {
	ID      string   `json:"id" doc:"The tax rate."`
	Changed []string `json:"changed" doc:"Names of the fields that changed, never their values."`
}

func (e TaxRateCreated) about() about { return about{objectID: e.ID} }
func (e TaxRateUpdated) about() about { return about{objectID: e.ID} }

// Type implements Data.
func (TaxRateCreated) Type() Type { return TypeTaxRateCreated }

// Type implements Data.
func (TaxRateUpdated) Type() Type { return TypeTaxRateUpdated }
