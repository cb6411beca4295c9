// Package hosted has the use cases of whoever opens the page of an invoice: it is found by its link, which is all that
// the visitor needs.
package hosted

import (
	"perennial/service/customers"
	"perennial/service/invoices"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	customers *customers.Service
	invoices  *invoices.Service
}

// New makes the column.
func New(b usecase.Base, payers *customers.Service, billed *invoices.Service) *Service {
	return &Service{Base: b, customers: payers, invoices: billed}
}
