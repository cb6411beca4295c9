// Package catalog has the use cases of products, plans, coupons, tax rates and catalogue files.
package catalog

import "perennial/service/usecase"

// Service performs the use cases of this column.
type Service struct{ usecase.Base }

// New makes the column.
func New(b usecase.Base) *Service { return &Service{Base: b} }
