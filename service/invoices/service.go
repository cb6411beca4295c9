// Package invoices has the use cases of invoices, manual ones included, and credit notes.
package invoices

import "perennial/service/usecase"

// Service performs the use cases of this column.
type Service struct{ usecase.Base }

// New makes the column.
func New(b usecase.Base) *Service { return &Service{Base: b} }
