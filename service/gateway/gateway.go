// Package gateway opens a provider's adapter from its stored configuration: it unseals the credentials and keeps one
// adapter per configuration, so that connections are reused. It does not own the adapters (providers) nor the
// encryption (vault).
package gateway

import (
	"context"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers"
	"perennial/providers/stripe"
)

// Config is the operator's part: where providers are, for the simulator, and how patient to be.
type Config struct {
	Vault        *vault.Vault
	StripeURL    string
	Timeout      time.Duration
	ReplayWindow time.Duration
}

// Gateway is safe for concurrent use.
type Gateway struct {
	config Config
	mu     sync.Mutex
	open   map[string]providers.Provider
}

// New makes a gateway.
func New(c Config) *Gateway { return &Gateway{config: c, open: map[string]providers.Provider{}} }

// Provider returns the adapter of a configuration. Configurations are immutable, new credentials are a new row, so an
// adapter may be kept. Faults: credential_unreadable, keyset_unreadable, provider_credentials_invalid,
// provider_unknown.
func (g *Gateway) Provider(_ context.Context, c db.ProviderConfig) (providers.Provider, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.open[c.ID]; ok {
		return p, nil
	}
	if c.Provider != "stripe" {
		return nil, fault.New(fault.Internal, "provider_unknown", "Provider %q has no adapter.", c.Provider)
	}
	secret, err := g.unseal(c, FieldSecretKey, c.SecretKeySealed)
	if err != nil {
		return nil, err
	}
	webhook, err := g.unseal(c, FieldWebhookSecret, c.WebhookSecretSealed)
	if err != nil {
		return nil, err
	}
	p, err := stripe.New(stripe.Config{
		SecretKey: secret, WebhookSecret: webhook, Live: c.Mode == "live",
		BaseURL: g.config.StripeURL, Timeout: g.config.Timeout, ReplayWindow: g.config.ReplayWindow,
	})
	if err != nil {
		return nil, err
	}
	g.open[c.ID] = p
	return p, nil
}

// Limits returns which charges in a currency a provider takes, by the provider's name; of one without an adapter none
// are known.
func Limits(provider string, currency money.Currency) money.Limits {
	if provider == "stripe" {
		return stripe.Limits(currency)
	}
	return money.Limits{}
}

// The names of sealed fields; they are part of what a sealed value is bound to.
const (
	FieldSecretKey     = "secretKey"
	FieldWebhookSecret = "webhookSecret"
)

func (g *Gateway) unseal(c db.ProviderConfig, field string, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	plain, err := g.config.Vault.Open(c.Keyset, vault.Field{AppID: c.AppID, ConfigID: c.ID, Name: field}, sealed)
	return string(plain), err
}
