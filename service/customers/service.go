// Package customers has the use cases of customers: their data and payment methods, balances and credit grants.
package customers

import (
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	gateway *gateway.Gateway
}

// New returns the column. The gateway knows the payment methods that an account takes.
func New(b usecase.Base, g *gateway.Gateway) *Service { return &Service{Base: b, gateway: g} }
