// Package gateway opens a provider's adapter from its stored configuration: it unseals the credentials and keeps one
// adapter per configuration, so that connections are reused. It does not own the adapters (providers) nor the
// encryption (vault).
package gateway

import (
	"bytes"
	"context"
	"sync"
	"time"

	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers"
	"perennial/providers/all"
	"perennial/providers/stripe"
)

// Config is the operator's part: where providers are, for the simulator, and how patient to be.
type Config struct {
	Vault        *vault.Vault
	BaseURLs     map[string]string // by the provider's name; absent: the provider's own
	Timeout      time.Duration
	ReplayWindow time.Duration
}

// Gateway is safe for concurrent use.
type Gateway struct {
	config Config
	mu     sync.Mutex
	open   map[string]opened
}

// opened is an adapter with the sealed credentials that it was made of.
type opened struct {
	providers.Provider
	secretKey, webhookSecret []byte
}

// New makes a gateway.
func New(c Config) *Gateway { return &Gateway{config: c, open: map[string]opened{}} }

// Provider returns the adapter of a configuration. It is kept until the row holds other credentials, which operators
// may replace at any time. Faults: credential_unreadable, keyset_unreadable, provider_credentials_invalid,
// provider_unknown.
func (g *Gateway) Provider(_ context.Context, c db.ProviderConfig) (providers.Provider, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, ok := g.open[c.ID]
	if ok && bytes.Equal(p.secretKey, c.SecretKeySealed) && bytes.Equal(p.webhookSecret, c.WebhookSecretSealed) {
		return p.Provider, nil
	}
	plain, err := Unseal(g.config.Vault, c)
	if err != nil {
		return nil, err
	}
	adapter, err := g.adapter(c.Provider, plain, c.Mode)
	if err != nil {
		return nil, err
	}
	g.open[c.ID] = opened{adapter, c.SecretKeySealed, c.WebhookSecretSealed}
	return adapter, nil
}

// Try asks the provider whether it takes a secret key that is not stored yet. Faults: those of TestConnection,
// provider_unknown and provider_credentials_invalid.
func (g *Gateway) Try(ctx context.Context, provider, mode, secretKey string) error {
	adapter, err := g.adapter(provider, Credentials{SecretKey: secretKey}, mode)
	if err != nil {
		return err
	}
	return adapter.TestConnection(ctx)
}

func (g *Gateway) adapter(provider string, plain Credentials, mode string) (providers.Provider, error) {
	factory, err := all.Registry.Factory(provider)
	if err != nil {
		return nil, err
	}
	return factory.Open(providers.Account{
		Live: mode == "live",
		Credentials: map[string]string{
			stripe.FieldSecretKey: plain.SecretKey, stripe.FieldWebhookSecret: plain.WebhookSecret,
		},
		BaseURL: g.config.BaseURLs[provider], Timeout: g.config.Timeout, ReplayWindow: g.config.ReplayWindow,
	})
}

// Limits returns which charges in a currency a provider takes, by the provider's name;
// of one without an adapter none are known.
func Limits(provider string, currency money.Currency) money.Limits {
	return all.Registry.Limits(provider, currency)
}

// The names of sealed fields; they are part of what a sealed value is bound to.
const (
	FieldSecretKey     = "secretKey"
	FieldWebhookSecret = "webhookSecret"
)

// Credentials are those of an account, in plain text: keep them in memory only.
type Credentials struct{ SecretKey, WebhookSecret string }

// Unseal opens the credentials of a configuration. Faults: credential_unreadable, keyset_unreadable.
func Unseal(v *vault.Vault, c db.ProviderConfig) (out Credentials, err error) {
	if out.SecretKey, err = unseal(v, c, FieldSecretKey, c.SecretKeySealed); err != nil {
		return out, err
	}
	out.WebhookSecret, err = unseal(v, c, FieldWebhookSecret, c.WebhookSecretSealed)
	return out, err
}

func unseal(v *vault.Vault, c db.ProviderConfig, field string, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	plain, err := v.Open(c.Keyset, vault.Field{AppID: c.AppID, ConfigID: c.ID, Name: field}, sealed)
	return string(plain), err
}
