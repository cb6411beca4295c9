package emits

import (
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/service/catalog"
)

// taxes set the scene of the requests about tax rates.
var taxes = map[string]func(*stage) func() error{
	"createTaxRate": func(s *stage) func() error {
		return func() error {
			_, err := s.service.Catalog.CreateTaxRate(s.ctx, s.by, taxRate(), nil)
			return err
		}
	},
	"updateTaxRate": func(s *stage) func() error {
		made, err := s.service.Catalog.CreateTaxRate(s.ctx, s.by, taxRate(), nil)
		name := "Sales tax"
		return func() error {
			if err == nil {
				_, err = s.service.Catalog.UpdateTaxRate(s.ctx, s.by, made.ID, catalog.TaxRateUpdate{Name: &name}, nil)
			}
			return err
		}
	},
}

// taxRate applies in a country where no other operation's customer lives.
func taxRate() tax.Definition {
	return tax.Definition{Rate: tax.Rate{Name: "VAT", Percent: money.Whole(19)}, Country: "DE", Stacks: true}
}
