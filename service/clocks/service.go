// Package clocks has the use cases of test clocks.
package clocks

import "perennial/service/usecase"

// Service performs the use cases of this column.
type Service struct{ usecase.Base }

// New makes the column.
func New(b usecase.Base) *Service { return &Service{Base: b} }
