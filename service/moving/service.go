// Package moving imports customers, balances and subscriptions of other systems, and exports an environment.
package moving

import "perennial/service/usecase"

// Service performs the use cases of this column.
type Service struct{ usecase.Base }

// New returns the column.
func New(b usecase.Base) *Service { return &Service{Base: b} }
