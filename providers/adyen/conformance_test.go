package adyen_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
	"perennial/providers/adyen"
	"perennial/providers/conformance"
	"perennial/providers/simulator/adyensim"
)

const (
	conformanceKey  = "AQE_conformance_0123456789"
	conformanceHMAC = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Subject {
		rig := conformance.NewRig(t, time.Now, adyensim.New(adyensim.Config{
			APIKeys: []string{conformanceKey}, MerchantAccounts: []string{"AcmeECOM"},
		}), conformanceHMAC)
		adapter := func(key, url string) providers.Provider {
			p, err := adyen.Factory{}.Open(providers.Account{BaseURL: url, Credentials: map[string]string{
				adyen.FieldAPIKey: key, adyen.FieldMerchantAccount: "AcmeECOM", adyen.FieldWebhookSecret: conformanceHMAC,
			}})
			require.NoError(t, err)
			return p
		}
		return conformance.Subject{
			Rig:         rig,
			Factory:     adyen.Factory{},
			Provider:    adapter(conformanceKey, rig.URL),
			Unreachable: adapter(conformanceKey, conformance.ClosedPort(t)),
			WrongKey:    adapter("AQE_rolled_0123456789", rig.URL),
			ChargePath:  "POST /v71/payments",

			CompletePath: "POST /v71/payments/details",
			UnknownRef:   "UNKNOWN000000000",
			Price:        price(1999, "EUR"),
			Currencies:   []money.Currency{"USD", "EUR", "HUF", "JPY", "XAF", "KWD", "CLP", "CVE", "IDR", "ISK"},
			// The adapter compares every answer with its question, so a key binds the parameters all the same.
			Protocol: conformance.Protocol{SignsFields: true, Untimed: true},
			Prices: []conformance.Edge{
				{Price: price(1, "EUR"), Wire: "1"},
				{Price: price(5000, "XAF"), Wire: "5000"},
				{Price: price(5000, "UGX"), Wire: "5000"},
				{Price: price(1235, "KWD"), Wire: "1235"},
				{Price: price(100, "ISK"), Wire: "10000"},
				{Price: price(500, "CLP"), Wire: "50000"},
				{Price: price(1000, "CVE"), Wire: "10"},
				{Price: price(1050, "CVE")},
				{Price: price(1500000, "IDR"), Wire: "15000"},
				{Price: price(1500050, "IDR")},
				{Price: price(1000, "BIF")},
			},
			Methods: conformance.Methods{
				OK:             card("M5N7TQ4TG5PFWR50"),
				Pending:        card("SIM_PENDING"),
				NeedsCustomer:  card("SIM_REDIRECT"),
				AsksPayer:      card("SIM_AUTHENTICATE"),
				Missing:        card("SIM_MISSING"),
				ErrorCaptured:  card("SIM_500_BOOKED"),
				RefundPending:  card("SIM_REFUND_PENDING"),
				RefundReversed: card("SIM_REFUND_RETURNED"),
			},
			Declines: []conformance.Decline{
				{Name: "generic", Method: card("SIM_REFUSE_2"), Code: providers.DeclinedCode},
				{Name: "funds", Method: card("SIM_REFUSE_12"), Code: providers.InsufficientFunds},
				{Name: "blocked", Method: card("SIM_REFUSE_5"), Code: providers.AccountBlocked},
				{Name: "fraud", Method: card("SIM_REFUSE_20"), Code: providers.AccountBlocked},
				{Name: "expired", Method: card("SIM_REFUSE_6"), Code: providers.InvalidAccount},
				{Name: "amount", Method: card("SIM_REFUSE_28"), Code: providers.DailyLimit},
				{Name: "count", Method: card("SIM_REFUSE_29"), Code: providers.DailyLimit},
				{Name: "authentication", Method: card("SIM_REFUSE_38"), Code: providers.DeclinedCode},
				{Name: "error", Method: card("SIM_ERROR"), Code: providers.DeclinedCode},
			},
			Secrets: []string{
				conformanceKey, conformanceHMAC, "Casey Holder", "4242", "holder@example.com", "hmacSignature",
			},
		}
	})
}

func card(token string) providers.Method {
	return providers.Method{Type: "card", CustomerToken: "shopper_9", PaymentMethodToken: token}
}

func price(amount int64, currency string) conformance.Price {
	return conformance.Price{Amount: money.Minor(amount), Currency: money.Currency(currency)}
}
