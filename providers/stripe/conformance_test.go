package stripe_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
	"perennial/providers/conformance"
	"perennial/providers/simulator/stripesim"
	"perennial/providers/stripe"
)

const testKey = "sk_test_conformance0123456789"

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Subject {
		rig := conformance.NewRig(t, time.Now, stripesim.New(stripesim.Config{SecretKeys: []string{testKey}}),
			conformance.WebhookSecret)
		adapter := func(key, url string) *stripe.Stripe {
			s, err := stripe.New(stripe.Config{SecretKey: key, WebhookSecret: conformance.WebhookSecret, BaseURL: url})
			require.NoError(t, err)
			return s
		}
		card := func(token string) providers.Method {
			return providers.Method{Type: "card", CustomerToken: "cus_9", PaymentMethodToken: token}
		}
		usd := func(amount int64) conformance.Price { return price(amount, "USD") }
		return conformance.Subject{
			Rig:         rig,
			Factory:     stripe.Factory{},
			Provider:    adapter(testKey, rig.URL),
			Unreachable: adapter(testKey, conformance.ClosedPort(t)),
			WrongKey:    adapter("sk_test_rolled0123456789", rig.URL),
			ChargePath:  "POST /v1/payment_intents",
			UnknownRef:  "pi_unknown",
			Price:       usd(1999),
			Currencies:  []money.Currency{"USD", "EUR", "GBP", "CZK", "HUF", "JPY", "XAF", "KWD", "MGA"},
			Protocol:    conformance.Protocol{SearchesTransactions: true},
			Prices: []conformance.Edge{
				{Price: usd(50), Wire: "50"},
				{Price: price(5000, "XAF"), Wire: "5000"},
				{Price: price(1999, "JPY"), Wire: "1999"},
				{Price: price(5000, "UGX"), Wire: "500000"},
				{Price: price(100, "ISK"), Wire: "10000"},
				{Price: price(9950, "KES"), Wire: "9950"},
				{Price: price(500000, "MGA"), Wire: "5000"},
				{Price: price(500050, "MGA")},
				{Price: price(1230, "KWD"), Wire: "1230"},
				{Price: price(1235, "KWD")},
				{Price: price(1000, "LYD")},
			},
			Methods: conformance.Methods{
				OK:             card("pm_card_visa"),
				Pending:        card("pm_sim_pending"),
				NeedsCustomer:  card("pm_sim_requires_action"),
				AsksPayer:      card("pm_card_authenticationRequired"),
				Missing:        card("pm_1NobodyKnowsThisCard"),
				ErrorCaptured:  card("pm_sim_500_captured"),
				RefundPending:  card("pm_card_pendingRefund"),
				RefundReversed: card("pm_card_refundFail"),
			},
			Declines: []conformance.Decline{
				{Name: "generic", Method: card("pm_card_visa_chargeDeclined"), Code: providers.DeclinedCode},
				{Name: "funds", Method: card("pm_card_visa_chargeDeclinedInsufficientFunds"), Code: providers.InsufficientFunds},
				{Name: "lost", Method: card("pm_card_visa_chargeDeclinedLostCard"), Code: providers.AccountBlocked},
				{Name: "stolen", Method: card("pm_card_visa_chargeDeclinedStolenCard"), Code: providers.AccountBlocked},
				{Name: "velocity", Method: card("pm_card_visa_chargeDeclinedVelocityLimitExceeded"), Code: providers.DailyLimit},
				{Name: "expired", Method: card("pm_card_chargeDeclinedExpiredCard"), Code: providers.InvalidAccount},
				{Name: "cvc", Method: card("pm_card_chargeDeclinedIncorrectCvc"), Code: providers.InvalidAccount},
				{Name: "processing error", Method: card("pm_card_chargeDeclinedProcessingError"), Code: providers.DeclinedCode},
				{Name: "customer fail", Method: card("pm_card_chargeCustomerFail"), Code: providers.DeclinedCode},
				{Name: "authentication", Method: card("pm_card_authenticationRequired"), Code: providers.DeclinedCode},
			},
			Secrets: []string{
				testKey, conformance.WebhookSecret, "_secret_", "holder@example.com", "Casey Holder", "Douala", `"4242"`, "last4",
				"fingerprint",
			},
		}
	})
}

func price(amount int64, currency string) conformance.Price {
	return conformance.Price{Amount: money.Minor(amount), Currency: money.Currency(currency)}
}
