package pawapay

import (
	"maps"
	"slices"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

// Factory opens adapters for pawaPay.
type Factory struct{}

var _ providers.Factory = Factory{}

// The credentials of an account.
const (
	FieldAPIToken      = "apiToken"
	FieldAPIURL        = "apiUrl"
	FieldWebhookSecret = "webhookSecret"
)

// Name is the provider's identifier in the API.
func (Factory) Name() string { return "pawapay" }

// Fields are the credentials. The webhook secret is for accounts whose callbacks are not signed.
func (Factory) Fields() []providers.Field {
	return []providers.Field{
		{Name: FieldAPIToken, Title: "API token", Secret: true},
		{Name: FieldAPIURL, Title: "API URL", Optional: true},
		{Name: FieldWebhookSecret, Title: "Last segment of the callback URL", Secret: true, Optional: true},
	}
}

// CallbackTypes are the operations whose callback URL is set in pawaPay's dashboard.
func (Factory) CallbackTypes() []string { return []string{"deposits", "refunds"} }

// ReturnParameters are none: pawaPay completes charges itself.
func (Factory) ReturnParameters() []string { return nil }

// Limits returns which charges in a currency pawaPay takes from every operator.
func (Factory) Limits(currency money.Currency) providers.Limits { return Limits(currency) }

// WalletCurrencies are those of all operators.
func (Factory) WalletCurrencies() []money.Currency {
	all := map[money.Currency]bool{}
	for _, o := range operators {
		for c := range o.decimals {
			all[c] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Supports returns what pawaPay does with a payment method, as far as the operator tells it.
func (Factory) Supports(method providers.Method) paymethod.Support { return Supports(method) }

// Open opens the adapter of an account. Faults: those of New.
func (Factory) Open(account providers.Account) (providers.Provider, error) {
	return New(Config{
		APIToken:      account.Credentials[FieldAPIToken],
		APIURL:        account.Credentials[FieldAPIURL],
		WebhookSecret: account.Credentials[FieldWebhookSecret],
		Live:          account.Live,
		BaseURL:       account.BaseURL,
		AllowedHosts:  account.AllowedHosts,
		ReplayWindow:  account.ReplayWindow,
		Timeout:       account.Timeout,
		Transport:     account.Transport,
	})
}
