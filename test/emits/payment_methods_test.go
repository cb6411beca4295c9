package emits

import (
	"perennial/activities/due"
	"perennial/billing/customer"
	"perennial/db"
	"perennial/service/customers"
	"perennial/service/usecase"
)

// paymentMethods set the scene of the requests about payment methods.
var paymentMethods = map[string]func(*stage) func() error{
	"createPaymentMethod": func(s *stage) func() error {
		c := s.Customer(s.t, "")
		return func() error { _, err := s.methodOf(c.ID); return err }
	},
	"updatePaymentMethod":                 func(s *stage) func() error { return s.updateMethod("Ada") },
	"updatePaymentMethod nothing changes": func(s *stage) func() error { return s.updateMethod("") },
	"deletePaymentMethod": func(s *stage) func() error {
		m, err := s.methodOf(s.Customer(s.t, "").ID)
		s.must(err)
		return func() error {
			return s.service.Customers.RemovePaymentMethod(s.ctx, s.by, m, customers.Removal{},
				usecase.Around[customers.RemovedMethod]{})
		}
	},
}

func (s *stage) methodOf(customerID string) (customer.Method, error) {
	return s.service.Customers.AddPaymentMethod(s.ctx, s.by, customerID, customer.Method{
		Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "pm_second"},
	}, nil, nil)
}

func (s *stage) updateMethod(name string) func() error {
	m, err := s.methodOf(s.Customer(s.t, "").ID)
	s.must(err)
	return func() error {
		_, err := s.service.Customers.UpdatePaymentMethod(s.ctx, s.by, m,
			customers.PaymentMethodUpdate{BillingName: &name}, nil)
		return err
	}
}

// methodExpiring sets the scene of the announcement of an expiry.
func methodExpiring(s *stage) func() error {
	soon := s.Clock.Now().AddDate(0, 0, 3)
	m, err := s.service.Customers.AddPaymentMethod(s.ctx, s.by, s.Customer(s.t, "").ID, customer.Method{
		Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "pm_expires"},
		Card: customer.Card{ExpiryYear: soon.Year(), ExpiryMonth: int(soon.Month())},
	}, nil, nil)
	s.must(err)
	found := db.ExpiringMethod{Ref: db.Ref{EnvironmentID: s.by.EnvironmentID, ID: m.ID}, CustomerID: m.CustomerID}
	return func() error { return due.AnnounceExpiry(s.ctx, s.Store, found, m.Card.NoticeAt()) }
}
