// Package tenancy has the use cases of apps, environments, their settings, API keys and the audit log.
package tenancy

import (
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	gateway *gateway.Gateway
}

// New makes the column. The gateway checks the credentials of an environment's first account.
func New(b usecase.Base, g *gateway.Gateway) *Service { return &Service{Base: b, gateway: g} }
