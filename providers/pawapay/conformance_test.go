package pawapay_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
	"perennial/providers/conformance"
	"perennial/providers/pawapay"
	"perennial/providers/simulator/pawapaysim"
)

const testToken = "token_conformance_0123456789"

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Subject {
		dialect := pawapaysim.New(pawapaysim.Config{Tokens: []string{testToken}, Latency: 20 * time.Millisecond})
		rig := conformance.NewRig(t, time.Now, dialect, conformance.WebhookSecret)
		adapter := func(token, url string) *pawapay.PawaPay {
			p, err := pawapay.New(pawapay.Config{APIToken: token, BaseURL: url})
			require.NoError(t, err)
			return p
		}
		wallet := func(suffix string) providers.Method {
			return providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456" + suffix}
		}
		return conformance.Subject{
			Rig:         rig,
			Factory:     pawapay.Factory{},
			Provider:    adapter(testToken, rig.URL),
			Unreachable: adapter(testToken, conformance.ClosedPort(t)),
			WrongKey:    adapter("token_of_somebody_else", rig.URL),
			ChargePath:  "POST /v2/deposits",
			UnknownRef:  "6f6c0f0e-5d7b-4f2e-9a3e-0c1d2e3f4a5b",
			Price:       price(5000, "RWF"),
			Currencies: []money.Currency{
				"CDF", "GHS", "KES", "MZN", "NGN", "RWF", "TZS", "UGX", "USD", "XAF", "XOF", "ZMW",
			},
			MethodFor: methodFor,
			Protocol:  conformance.Protocol{KeysKept: true, NoDisputes: true, NoRefundList: true},
			Prices: []conformance.Edge{
				{Price: price(5000, "XAF"), Wire: "5000"},
				{Price: price(5000, "UGX"), Wire: "5000"},
				{Price: price(9950, "GHS"), Wire: "99.5"},
				{Price: price(9955, "ZMW"), Wire: "99.55"},
				{Price: price(9900, "KES"), Wire: "99"},
				{Price: price(9950, "KES")},
				{Price: price(123400, "CDF"), Wire: "1234"},
				{Price: price(123450, "CDF")},
				{Price: price(1234, "USD"), Wire: "12.34"},
				{Price: price(5000, "EUR")},
			},
			Methods: conformance.Methods{
				OK: wallet("789"), Pending: wallet("111"), Missing: wallet("029"), RefundPending: wallet("901"),
			},
			Declines: []conformance.Decline{
				{Name: "limit", Method: wallet("019"), Code: providers.DailyLimit},
				{Name: "unknown payer", Method: wallet("029"), Code: providers.InvalidAccount},
				{Name: "not approved", Method: wallet("039"), Code: providers.DeclinedCode},
				{Name: "balance", Method: wallet("049"), Code: providers.InsufficientFunds},
				{Name: "unspecified", Method: wallet("069"), Code: providers.DeclinedCode},
			},
			Secrets: []string{testToken, conformance.WebhookSecret, "783456", "788000", "788 000", "phoneNumber"},
		}
	})
}

// methodFor is a wallet that pays in a currency.
func methodFor(c money.Currency) providers.Method {
	wallets := map[money.Currency][2]string{
		"CDF": {"mpesa", "243813456"}, "GHS": {"mtn", "233593456"}, "KES": {"mpesa", "254703456"},
		"MZN": {"mpesa", "258843456"}, "NGN": {"mtn", "234803456"}, "RWF": {"mtn", "250783456"},
		"TZS": {"vodacom", "255743456"}, "UGX": {"mtn", "256783456"}, "USD": {"vodacom", "243813456"},
		"XAF": {"mtn", "237653456"}, "XOF": {"mtn", "229613456"}, "ZMW": {"mtn", "260763456"},
	}
	w, ok := wallets[c]
	if !ok {
		w = wallets["RWF"]
	}
	return providers.Method{Type: "mobile_money_" + w[0], PhoneNumber: "+" + w[1] + "789"}
}

func price(amount int64, currency string) conformance.Price {
	return conformance.Price{Amount: money.Minor(amount), Currency: money.Currency(currency)}
}
