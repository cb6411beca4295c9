// Package subscriptions has the use cases of subscriptions: creations, commands, previews and moves to plan versions.
package subscriptions

import (
	"perennial/service/customers"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	customers *customers.Service
}

// New returns the column.
func New(b usecase.Base, c *customers.Service) *Service { return &Service{Base: b, customers: c} }
