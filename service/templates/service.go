// Package templates has the use cases of how documents look.
package templates

import "perennial/service/usecase"

// Service has the use cases of this column.
type Service struct{ usecase.Base }

// New makes the column.
func New(b usecase.Base) *Service { return &Service{b} }
