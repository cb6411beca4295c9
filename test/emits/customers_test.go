package emits

import (
	"perennial/billing/tax"
	"perennial/service/customers"
	"perennial/service/usecase"
)

func (s *stage) updateCustomer(name string) func() error {
	c := s.Customer(s.t, "")
	return func() error {
		_, err := s.service.Customers.UpdateCustomer(s.ctx, s.by, c.ID, customers.CustomerUpdate{Name: &name}, nil)
		return err
	}
}

func (s *stage) verifyTaxID() func() error {
	c, ids := s.Customer(s.t, ""), tax.IDs{{Type: "eu_vat", Value: "DE136695976"}}
	_, err := s.service.Customers.UpdateCustomer(s.ctx, s.by, c.ID, customers.CustomerUpdate{TaxIDs: &ids}, nil)
	s.must(err)
	return func() error {
		_, err := s.service.Customers.ConfirmTaxID(s.ctx, s.by, c.ID,
			customers.TaxIDConfirmation{Type: ids[0].Type, Value: ids[0].Value}, nil)
		return err
	}
}

func (s *stage) deleteCustomer(customerID string) func() error {
	return func() error {
		return s.service.Customers.EraseCustomer(s.ctx, s.by, customerID, usecase.Around[string]{})
	}
}
