package adyen

import (
	"context"
	"regexp"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

// Factory opens adapters for Adyen.
type Factory struct{}

var _ providers.Factory = Factory{}

// The credentials of an account.
const (
	FieldAPIKey             = "apiKey"
	FieldMerchantAccount    = "merchantAccount"
	FieldLiveEndpointPrefix = "liveEndpointPrefix"
	FieldWebhookSecret      = "webhookSecret"
)

// Name is the provider's identifier in the API.
func (Factory) Name() string { return "adyen" }

// Fields are the credentials. The webhook's key is made after the address of the callbacks is known, so it may follow.
func (Factory) Fields() []providers.Field {
	return []providers.Field{
		{Name: FieldAPIKey, Title: "API key", Secret: true},
		{Name: FieldMerchantAccount, Title: "Merchant account"},
		{Name: FieldLiveEndpointPrefix, Title: "Live endpoint URL prefix", LiveOnly: true},
		{Name: FieldWebhookSecret, Title: "HMAC key of the standard webhook", Secret: true, Optional: true},
	}
}

// CallbackTypes are the events of the standard webhook to switch on. Refusals, failed captures and disputes are not
// among Adyen's defaults.
func (Factory) CallbackTypes() []string {
	return []string{
		eventAuthorisation, eventCancellation, eventTechnicalCancel, eventCancelOrRefund, eventCaptureFailed, eventExpire,
		eventRefund, eventRefundFailed, eventRefundedReversed,
		"REQUEST_FOR_INFORMATION", "NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK",
		"ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "PREARBITRATION_WON", "PREARBITRATION_LOST", "PREARBITRATION_ISSUER_WITHDRAWN",
		"SCHEME_ARBITRATION_WON", "SCHEME_ARBITRATION_LOST",
	}
}

// ReturnParameters names what Adyen appends to the returnUrl, which /payments/details wants.
func (Factory) ReturnParameters() []string { return []string{redirectResult} }

// Limits returns which charges in a currency Adyen takes.
func (Factory) Limits(currency money.Currency) providers.Limits { return Limits(currency) }

// Supports returns what Adyen does with a payment method: a stored card is charged without its owner.
func (Factory) Supports(method providers.Method) paymethod.Support {
	refused := func(reason string) paymethod.Support {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Reason: reason}
	}
	switch {
	case method.Type != "card":
		return refused("Adyen charges stored cards only.")
	case foreign.MatchString(method.PaymentMethodToken):
		return refused(
			"The saved card belongs to another provider: Adyen's tokens do not begin with a word in small letters.",
		)
	}
	return paymethod.Support{Accepted: true, Renewal: paymethod.RenewalUnattended}
}

// Supports returns what Factory.Supports does: the accounts do not differ.
func (*Adyen) Supports(_ context.Context, method providers.Method) paymethod.Support {
	return Factory{}.Supports(method)
}

// foreign matches tokens of the form that Stripe's and Flutterwave's have: pm_…, card_…, pmd_….
var foreign = regexp.MustCompile(`^[a-z]+_`)
