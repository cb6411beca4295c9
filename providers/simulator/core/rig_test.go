package core_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"perennial/providers/simulator/core"
	"perennial/providers/simulator/simtest"
	"perennial/providers/simulator/stripesim"
)

// rig is a simulated Stripe, the oldest of the dialects, through which the common parts are tested.
type rig struct{ *simtest.Sim }

func start(t *testing.T, path string, change func(*core.Config)) rig {
	t.Helper()
	return rig{simtest.Start(t, path, stripesim.New(stripesim.Config{}), change)}
}

func fresh(t *testing.T) rig {
	t.Helper()
	return start(t, t.TempDir()+"/ledger.jsonl", nil)
}

// reply is an answer, decoded.
type reply struct{ simtest.Reply }

func (r reply) id() string                  { return r.Text("id") }
func (r reply) state() string               { return r.Text("status") }
func (r reply) code() string                { return r.failure("code") }
func (r reply) failure(field string) string { return r.Text("error", field) }

func (r rig) do(t *testing.T, method, path, key, body string, header ...string) reply {
	t.Helper()
	headers := []string{"Authorization", "Bearer sk_test_1"}
	if method == http.MethodPost && strings.HasPrefix(path, "/v1/") {
		headers = append(headers, "Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	return reply{simtest.Do(t, method, r.URL+path, body, append(headers, header...)...)}
}

// charge confirms a payment intent for $19.99.
func (r rig) charge(t *testing.T, token, key string) reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/v1/payment_intents", key, chargeForm(token).Encode())
}

func chargeForm(token string) url.Values {
	return url.Values{
		"amount": {"1999"}, "currency": {"usd"}, "payment_method": {token}, "payment_method_types[0]": {"card"},
		"confirm": {"true"}, "off_session": {"true"}, "metadata[txn_id]": {"txn_1"}, "customer": {"cus_1"},
	}
}

func (r rig) captures() int { return len(r.Moved(core.Capture)) }
