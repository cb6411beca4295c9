package flutterwave_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
	"perennial/providers/conformance"
	"perennial/providers/flutterwave"
	"perennial/providers/simulator/flutterwavesim"
)

const (
	clientID     = "client-conformance"
	clientSecret = "verysecret-conformance"
)

// simulated is the dialect with one account and no more patience than the tests need.
func simulated() *flutterwavesim.Dialect {
	return flutterwavesim.New(flutterwavesim.Config{
		Clients: map[string]string{clientID: clientSecret}, TokenLife: 2 * time.Second,
		PromptAfter: 20 * time.Millisecond, RefundAfter: 5 * time.Millisecond,
	})
}

func adapter(t *testing.T, url, secret string) *flutterwave.Flutterwave {
	t.Helper()
	f, err := flutterwave.New(flutterwave.Config{
		ClientID: clientID, ClientSecret: secret, WebhookSecret: conformance.WebhookSecret, BaseURL: url,
	})
	require.NoError(t, err)
	return f
}

// secrets must not appear in anything that an adapter returns: the account's secrets, and the simulator's data of a
// payer.
var secrets = []string{
	clientSecret, conformance.WebhookSecret, "flwtok_", "bait_token", "holder@example.org", "Casey", "Holder",
	"555019283", "241234", "424242", `"4242"`, "@example.com",
}

func TestConformance_Cards(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Subject {
		rig := conformance.NewRig(t, time.Now, simulated(), conformance.WebhookSecret)
		card := func(token string) providers.Method {
			return providers.Method{Type: "card", CustomerToken: "cus_9", PaymentMethodToken: token}
		}
		return conformance.Subject{
			Rig:         rig,
			Factory:     flutterwave.Factory{},
			Provider:    adapter(t, rig.URL, clientSecret),
			Unreachable: adapter(t, conformance.ClosedPort(t), clientSecret),
			WrongKey:    adapter(t, rig.URL, "verysecret-rolled"),
			ChargePath:  "POST /charges",
			UnknownRef:  "chg_unknown",
			Price:       price(1999, "USD"),
			Prices: []conformance.Edge{
				{Price: price(5000, "XAF"), Wire: "5000"},
				{Price: price(5000, "UGX"), Wire: "5000"},
				{Price: price(9950, "KES"), Wire: "99.5"},
				{Price: price(123456, "NGN"), Wire: "1234.56"},
				{Price: price(1, "USD"), Wire: "0.01"},
				{Price: price(1230, "KWD"), Wire: "1.23"},
				{Price: price(1235, "KWD")},
				{Price: price(1000, "CLF")},
			},
			Currencies: []money.Currency{"USD", "EUR", "NGN", "KES", "XAF", "UGX", "JPY", "KWD", "MGA"},
			Protocol:   conformance.Protocol{Untimed: true, NoInquiries: true},
			Methods: conformance.Methods{
				OK:             card("pmd_card_visa"),
				Pending:        card("pmd_sim_pending"),
				NeedsCustomer:  card("pmd_sim_requires_pin"),
				AsksPayer:      card("pmd_sim_redirect_url"),
				Missing:        card("pmd_nobody_knows"),
				ErrorCaptured:  card("pmd_sim_500_captured"),
				RefundPending:  card("pmd_sim_refund_pending"),
				RefundReversed: card("pmd_card_visa"),
			},
			Declines: declines(func(kind string) providers.Method { return card("pmd_card_" + kind) }),
			Secrets:  secrets,
		}
	})
}

func declines(of func(kind string) providers.Method) (list []conformance.Decline) {
	for kind, code := range map[string]providers.FailureCode{
		"do_not_honor": providers.DeclinedCode, "insufficient_funds": providers.InsufficientFunds,
		"exceeds_withdrawal_limit": providers.DailyLimit, "expired_card": providers.InvalidAccount,
		"stolen_card_pick_up": providers.AccountBlocked, "pick_up_card_special": providers.AccountBlocked,
	} {
		list = append(list, conformance.Decline{Name: kind, Method: of(kind), Code: code})
	}
	return list
}

func TestConformance_MobileMoney(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Subject {
		rig := conformance.NewRig(t, time.Now, simulated(), conformance.WebhookSecret)
		phone := func(national string) providers.Method {
			return providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+233" + national}
		}
		of := func(c money.Currency) providers.Method {
			return providers.Method{Type: "mobile_money_mtn", PhoneNumber: map[money.Currency]string{
				"GHS": "233241234567", "RWF": "250783456567", "UGX": "256783456567", "XAF": "237653456567",
			}[c]}
		}
		return conformance.Subject{
			Rig:         rig,
			Factory:     flutterwave.Factory{},
			Provider:    adapter(t, rig.URL, clientSecret),
			Unreachable: adapter(t, conformance.ClosedPort(t), clientSecret),
			WrongKey:    adapter(t, rig.URL, "verysecret-rolled"),
			ChargePath:  "POST /orchestration/direct-charges",
			UnknownRef:  "chg_unknown",
			Price:       price(20000, "GHS"),
			Prices: []conformance.Edge{
				{Price: price(20000, "GHS"), Wire: "200"},
				{Price: price(5000, "XAF"), Wire: "5000"},
				{Price: price(5000, "RWF"), Wire: "5000"},
				{Price: price(5000, "UGX"), Wire: "5000"},
				{Price: price(1000, "CLF")},
			},
			Currencies: []money.Currency{"GHS", "RWF", "UGX", "XAF"},
			MethodFor:  of,
			Protocol:   conformance.Protocol{Untimed: true, NoInquiries: true},
			Methods: conformance.Methods{
				OK:      phone("241234567"),
				Pending: phone("241234129"),
			},
			Declines: []conformance.Decline{
				{Name: "limit", Method: phone("241234019"), Code: providers.DailyLimit},
				{Name: "unknown", Method: phone("241234029"), Code: providers.InvalidAccount},
				{Name: "refused", Method: phone("241234039"), Code: providers.DeclinedCode},
				{Name: "funds", Method: phone("241234049"), Code: providers.InsufficientFunds},
				{Name: "unspecified", Method: phone("241234069"), Code: providers.DeclinedCode},
			},
			Secrets: secrets,
		}
	})
}

func price(amount int64, currency string) conformance.Price {
	return conformance.Price{Amount: money.Minor(amount), Currency: money.Currency(currency)}
}
