package gateway

import (
	"context"
	"slices"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/db"
	"perennial/providers"
	"perennial/providers/all"
)

// SupportsAnywhere returns a provider's support of a payment method, as far as it is known without the network.
func SupportsAnywhere(provider string, m providers.Method) paymethod.Support {
	factory, err := all.Registry.Factory(provider)
	if err != nil {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Reason: "The provider is not known any more."}
	}
	return factory.Supports(m)
}

// TakesWallets reports whether accounts at a provider may take mobile money in a currency.
func TakesWallets(provider string, c money.Currency) bool {
	factory, err := all.Registry.Factory(provider)
	if err != nil {
		return false
	}
	wallets, ok := factory.(providers.TakesWallets)
	return ok && slices.Contains(wallets.WalletCurrencies(), c)
}

// Supports returns an account's support of a payment method. For an account that does not open it returns the
// provider's: unreadable credentials are noticed where they are needed.
func (g *Gateway) Supports(ctx context.Context, c db.ProviderConfig, m providers.Method) paymethod.Support {
	adapter, err := g.Provider(ctx, c)
	if err != nil {
		return SupportsAnywhere(c.Provider, m)
	}
	return adapter.Supports(ctx, m)
}
