package stripe

import (
	"context"
	"strings"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

// Factory opens adapters for Stripe.
type Factory struct{}

var _ providers.Factory = Factory{}

// The credentials of an account.
const (
	FieldPublicKey     = "publicKey"
	FieldSecretKey     = "secretKey"
	FieldWebhookSecret = "webhookSecret"
)

// Name is the provider's identifier in the API.
func (Factory) Name() string { return "stripe" }

// Fields are the credentials. The publishable key is for the app's own pages: requests of ours never need it.
func (Factory) Fields() []providers.Field {
	return []providers.Field{
		{Name: FieldPublicKey, Title: "Publishable key", Optional: true},
		{Name: FieldSecretKey, Title: "Secret key", Secret: true},
		{Name: FieldWebhookSecret, Title: "Webhook signing secret", Secret: true, Optional: true},
	}
}

// CallbackTypes are the events to switch on for the endpoint in Stripe's dashboard.
func (Factory) CallbackTypes() []string {
	return []string{
		"payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.processing",
		"payment_intent.requires_action", "payment_intent.canceled", "charge.refunded",
		"refund.created", "refund.updated", "refund.failed",
		"charge.dispute.created", "charge.dispute.updated", "charge.dispute.closed",
		"charge.dispute.funds_withdrawn", "charge.dispute.funds_reinstated",
	}
}

// ReturnParameters are none: Stripe completes charges itself.
func (Factory) ReturnParameters() []string { return nil }

// Limits returns which charges in a currency Stripe takes.
func (Factory) Limits(currency money.Currency) providers.Limits { return Limits(currency) }

// Supports returns what Stripe does with a payment method: a saved card is charged without its owner.
func (Factory) Supports(method providers.Method) paymethod.Support {
	refused := func(reason string) paymethod.Support {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Reason: reason}
	}
	switch {
	case method.Type != "card":
		return refused("Stripe charges saved cards only.")
	case !ownCard(method.PaymentMethodToken):
		return refused("The saved card belongs to another provider: a card saved at Stripe begins with pm_, card_ or src_.")
	}
	return paymethod.Support{Accepted: true, Renewal: paymethod.RenewalUnattended}
}

// ownCard reports whether a token can be one of Stripe's; empty: it is not known yet.
func ownCard(token string) bool {
	return token == "" || strings.HasPrefix(token, "pm_") || strings.HasPrefix(token, "card_") ||
		strings.HasPrefix(token, "src_")
}

// Open opens the adapter of an account. Faults: those of New.
func (Factory) Open(account providers.Account) (providers.Provider, error) {
	return New(Config{
		PublicKey:     account.Credentials[FieldPublicKey],
		SecretKey:     account.Credentials[FieldSecretKey],
		WebhookSecret: account.Credentials[FieldWebhookSecret],
		Live:          account.Live,
		BaseURL:       account.BaseURL,
		ReplayWindow:  account.ReplayWindow,
		Timeout:       account.Timeout,
		Transport:     account.Transport,
	})
}

// Supports returns what Factory.Supports does: the accounts do not differ.
func (*Stripe) Supports(_ context.Context, method providers.Method) paymethod.Support {
	return Factory{}.Supports(method)
}
