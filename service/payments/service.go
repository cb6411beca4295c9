// Package payments has the use cases of charges, refunds and reviews, and of payment providers: their accounts,
// callbacks and routing.
package payments

import (
	"perennial/internal/vault"
	"perennial/service/gateway"
	"perennial/service/usecase"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	vault   *vault.Vault // nil: no account can be added
	gateway *gateway.Gateway
}

// New makes the column. keys, which may be nil, seals credentials, and the gateway tests them.
func New(b usecase.Base, keys *vault.Vault, g *gateway.Gateway) *Service {
	return &Service{Base: b, vault: keys, gateway: g}
}
