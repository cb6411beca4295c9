package flutterwavesim

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
)

// rig is a simulated Flutterwave with a client that has a token.
type rig struct {
	*simtest.Sim
	token string
}

func fresh(t *testing.T) *rig {
	t.Helper()
	return start(t, t.TempDir()+"/ledger.jsonl", Config{})
}

func start(t *testing.T, path string, c Config) *rig {
	t.Helper()
	r := &rig{Sim: simtest.Start(t, path, New(c), nil)}
	got := r.askToken(t, "client-1", "secret-1")
	require.Equal(t, http.StatusOK, got.Status, got.Raw)
	r.token = got.Text("access_token")
	return r
}

func (r *rig) askToken(t *testing.T, client, secret string) simtest.Reply {
	t.Helper()
	form := url.Values{"client_id": {client}, "client_secret": {secret}, "grant_type": {"client_credentials"}}
	return simtest.Do(t, http.MethodPost, r.URL+tokenPath, form.Encode(),
		"Content-Type", "application/x-www-form-urlencoded")
}

func (r *rig) do(t *testing.T, method, path, key, body string, headers ...string) simtest.Reply {
	t.Helper()
	headers = append(headers, "Authorization", "Bearer "+r.token)
	if key != "" {
		headers = append(headers, "X-Idempotency-Key", key)
	}
	return simtest.Do(t, method, r.URL+path, body, headers...)
}

// card charges a saved card $19.99.
func (r *rig) card(t *testing.T, token, key string, headers ...string) simtest.Reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/charges", key, `{"amount":19.99,"currency":"USD","reference":"ref-`+key+`",`+
		`"meta":{"txn_id":"txn_1","description":"Invoice in_7"},"customer_id":"cus_1","payment_method_id":"`+token+`",`+
		`"recurring":true}`, headers...)
}

// prompt charges a phone in Ghana 200 cedis.
func (r *rig) prompt(t *testing.T, number, key string, headers ...string) simtest.Reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/orchestration/direct-charges", key, prompt("233", "MTN", number, "GHS", key),
		headers...)
}

func prompt(code, network, number, currency, key string) string {
	return `{"amount":200,"currency":"` + currency + `","reference":"ref-` + key + `","meta":{"txn_id":"txn_2"},` +
		`"customer":{"email":"a@example.com","name":{"first":"A","last":"B"},` +
		`"phone":{"country_code":"` + code + `","number":"` + number + `"}},"payment_method":{"type":"mobile_money",` +
		`"mobile_money":{"country_code":"` + code + `","network":"` + network + `","phone_number":"` + number + `"}}}`
}

func (r *rig) refund(t *testing.T, charge, amount, key string) simtest.Reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/refunds", key,
		`{"amount":`+amount+`,"charge_id":"`+charge+`","meta":{"txn_id":"txn_3"},"reason":"requested_by_customer"}`)
}

func (r *rig) charge(t *testing.T, id string) simtest.Reply {
	t.Helper()
	return r.do(t, http.MethodGet, "/charges/"+id, "", "")
}

func (r *rig) captures() int { return len(r.Moved(core.Capture)) }
