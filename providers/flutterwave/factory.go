package flutterwave

import (
	"slices"
	"strings"

	"perennial/billing/money"
	"perennial/providers"
)

// Factory opens adapters for Flutterwave.
type Factory struct{}

var _ providers.Factory = Factory{}

// The credentials of an account.
const (
	FieldClientID         = "clientId"
	FieldClientSecret     = "clientSecret"
	FieldWebhookSecret    = "webhookSecret"
	FieldWebhookSignature = "webhookSignature"
)

// Name is the provider's identifier in the API.
func (Factory) Name() string { return "flutterwave" }

// Fields are the credentials. Flutterwave's documents contradict each other about how callbacks are signed, so that an
// account says it.
func (Factory) Fields() []providers.Field {
	return []providers.Field{
		{Name: FieldClientID, Title: "Client ID"},
		{Name: FieldClientSecret, Title: "Client secret", Secret: true},
		{Name: FieldWebhookSecret, Title: "Secret hash", Secret: true, Optional: true},
		{Name: FieldWebhookSignature, Title: "Form of the webhook signature: hmac or plain", Optional: true},
	}
}

// CallbackTypes are the webhooks to switch on in Flutterwave's dashboard.
func (Factory) CallbackTypes() []string {
	return []string{"charge.completed", "charge.failed", "refund.completed", "refund.failed", "chargeback.created",
		"chargeback.updated"}
}

// WalletCurrencies are those of all countries in which Flutterwave takes mobile money.
func (Factory) WalletCurrencies() []money.Currency {
	var all []money.Currency
	for _, m := range markets {
		all = append(all, m.currencies...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ReturnParameters are none: Flutterwave completes charges itself.
func (Factory) ReturnParameters() []string { return nil }

// Limits returns which charges in a currency Flutterwave takes.
func (Factory) Limits(currency money.Currency) providers.Limits { return Limits(currency) }

// ownCard reports whether a token can be one of Flutterwave's; empty: it is not known yet.
func ownCard(token string) bool { return token == "" || strings.HasPrefix(token, "pmd_") }

// Open opens the adapter of an account. Faults: those of New.
func (Factory) Open(account providers.Account) (providers.Provider, error) {
	return New(Config{
		ClientID:         account.Credentials[FieldClientID],
		ClientSecret:     account.Credentials[FieldClientSecret],
		WebhookSecret:    account.Credentials[FieldWebhookSecret],
		WebhookSignature: account.Credentials[FieldWebhookSignature],
		Live:             account.Live,
		BaseURL:          account.BaseURL,
		ReplayWindow:     account.ReplayWindow,
		Timeout:          account.Timeout,
		Transport:        account.Transport,
	})
}
