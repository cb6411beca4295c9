// Package gateway opens a provider's adapter from its stored configuration: it unseals the credentials and keeps one
// adapter per configuration, so that connections are reused. It does not own the adapters (providers) nor the
// encryption (vault).
package gateway

import (
	"bytes"
	"context"
	"sync"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers"
	"perennial/providers/all"
)

// Config has the operator's settings: the addresses of providers, for the simulator, and time-outs. The maps are by the
// provider's name; the adapter's own settings apply to absent ones.
type Config struct {
	Vault         *vault.Vault
	BaseURLs      map[string]string
	ReplayWindows map[string]time.Duration
	// AllowedHosts are hosts that credentials may name in addition to the provider's own.
	AllowedHosts []string
	Timeout      time.Duration // of one exchange; zero: the adapter's own
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
	made []byte
}

// New makes a gateway.
func New(c Config) *Gateway { return &Gateway{config: c, open: map[string]opened{}} }

// Provider returns the adapter of a configuration. It is kept until the row holds other credentials, which may be
// replaced at any time. Faults: credential_unreadable, keyset_unreadable, provider_credentials_invalid,
// provider_environment_mismatch, provider_config_invalid, provider_unknown.
func (g *Gateway) Provider(_ context.Context, c db.ProviderConfig) (providers.Provider, error) {
	made := fingerprint(c)
	g.mu.Lock()
	defer g.mu.Unlock()
	if p, ok := g.open[c.ID]; ok && bytes.Equal(p.made, made) {
		return p.Provider, nil
	}
	current, err := Unseal(g.config.Vault, c)
	if err != nil {
		return nil, err
	}
	adapter, err := g.adapter(c.Provider, c.Mode, current)
	if err != nil {
		return nil, err
	}
	if earlier := g.earlier(c, current); len(earlier) > 0 {
		adapter = rolled{adapter, earlier}
	}
	g.open[c.ID] = opened{adapter, made}
	return adapter, nil
}

// Check returns whether an account can be opened with credentials, without any network. Faults: provider_unknown,
// provider_credentials_invalid, provider_environment_mismatch, provider_config_invalid.
func (g *Gateway) Check(provider, mode string, c Credentials) error {
	_, err := g.adapter(provider, mode, c)
	return err
}

// Try asks the provider whether it accepts credentials that are not stored yet. Faults: those of Check and of
// TestConnection.
func (g *Gateway) Try(ctx context.Context, provider, mode string, c Credentials) error {
	adapter, err := g.adapter(provider, mode, c)
	if err != nil {
		return err
	}
	return adapter.TestConnection(ctx)
}

func (g *Gateway) adapter(provider, mode string, c Credentials) (providers.Provider, error) {
	factory, err := all.Registry.Factory(provider)
	if err != nil {
		return nil, err
	}
	if err := known(factory, c); err != nil {
		return nil, err
	}
	adapter, err := factory.Open(providers.Account{
		Live: mode == "live", Credentials: c, BaseURL: g.config.BaseURLs[provider], AllowedHosts: g.config.AllowedHosts,
		Timeout: g.config.Timeout, ReplayWindow: g.config.ReplayWindows[provider],
	})
	if err != nil {
		return nil, notOpened(err)
	}
	return adapter, nil
}

// notOpened returns the reason why an adapter refuses an account. A factory has the codes listed here; its other faults
// concern the credentials too.
func notOpened(err error) error {
	f := fault.From(err)
	switch {
	case !f.Refusal():
		return err
	case f.Code == "provider_environment_mismatch":
		return fault.InvalidParam(f.Param, "provider_environment_mismatch", "%s", f.Detail)
	case f.Code == "provider_config_invalid":
		return fault.InvalidParam(f.Param, "provider_config_invalid", "%s", f.Detail)
	}
	return fault.InvalidParam(f.Param, "provider_credentials_invalid", "%s", f.Detail)
}

// Limits returns which charges in a currency a provider takes, by the provider's name;
// of one without an adapter none are known.
func Limits(provider string, currency money.Currency) money.Limits {
	return all.Registry.Limits(provider, currency)
}
