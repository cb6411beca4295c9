// Package moving imports customers, what they have, subscriptions and settings, and exports an environment.
package moving

import (
	"perennial/billing/event"
	"perennial/service/usecase"
	"perennial/service/webhooks"
)

// defaultShape is that of an imported webhook endpoint whose record does not have it.
const defaultShape = event.ShapeA

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	endpoints *webhooks.Service
}

// New returns the column. endpoints registers those of an import.
func New(b usecase.Base, endpoints *webhooks.Service) *Service { return &Service{b, endpoints} }
