// Package webhooks has the use cases of webhook endpoints and their deliveries.
package webhooks

import (
	"perennial/internal/vault"
	"perennial/service/usecase"
	"perennial/webhooks"
)

// Service performs the use cases of this column.
type Service struct {
	usecase.Base
	vault     *vault.Vault // nil: no endpoint can be registered
	receivers webhooks.Allow
}

// New makes the column. keys, which may be nil, seals signing secrets; test environments may have receivers in local.
func New(b usecase.Base, keys *vault.Vault, local webhooks.Allow) *Service {
	return &Service{Base: b, vault: keys, receivers: local}
}
