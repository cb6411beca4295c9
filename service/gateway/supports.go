package gateway

import (
	"context"

	"perennial/billing/paymethod"
	"perennial/db"
	"perennial/providers"
	"perennial/providers/all"
)

// SupportsAnywhere returns what a provider does with a payment method, as far as that is known without any network.
func SupportsAnywhere(provider string, m providers.Method) paymethod.Support {
	factory, err := all.Registry.Factory(provider)
	if err != nil {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Reason: "The provider is not known any more."}
	}
	return factory.Supports(m)
}

// Supports returns what an account does with a payment method. Of one that does not open it returns what is known of
// the provider: that credentials are unreadable is found where they are needed.
func (g *Gateway) Supports(ctx context.Context, c db.ProviderConfig, m providers.Method) paymethod.Support {
	adapter, err := g.Provider(ctx, c)
	if err != nil {
		return SupportsAnywhere(c.Provider, m)
	}
	return adapter.Supports(ctx, m)
}
