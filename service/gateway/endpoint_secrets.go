package gateway

import (
	"time"

	"perennial/db"
	"perennial/internal/vault"
)

// Secrets opens the signing secrets of webhook endpoints.
type Secrets struct{ Vault *vault.Vault }

// EndpointSecrets opens the secrets that sign an endpoint's deliveries at a time, the newest first. Faults:
// keyset_unreadable, credential_unreadable.
func (s Secrets) EndpointSecrets(e db.WebhookEndpoint, at time.Time) ([]string, error) {
	sealed := e.SigningSecrets(at)
	secrets := make([]string, len(sealed))
	for i, bytes := range sealed {
		plain, err := s.Vault.Open(e.Keyset, vault.EndpointSecret(e.AppID, e.ID), bytes)
		if err != nil {
			return nil, err
		}
		secrets[i] = string(plain)
	}
	return secrets, nil
}
