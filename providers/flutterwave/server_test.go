package flutterwave

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const (
	canary     = "verysecret-client-canary"
	hashCanary = "verysecret-hash-canary"
	ourSend    = "0f3c2b7a-9d5e-5c1f-a0b1-c2d3e4f5a6b7"
	ourRef     = "0f3c2b7a9d5e5c1fa0b1c2d3e4f5a6b7"
	tokenBody  = `{"access_token":"tok-1","expires_in":600,"token_type":"Bearer"}`

	succeededCharge = `{"status":"success","message":"Charge created","data":{"id":"chg_1","amount":19.99,` +
		`"currency":"USD","reference":"` + ourRef + `","status":"succeeded","meta":{"txn_id":"txn_42"},` +
		`"payment_method_details":{"type":"card"},"processor_response":{"type":"approved","code":"00"}}}`
)

// identity counts the tokens that a fake Flutterwave gave out.
type identity struct{ fetched atomic.Int64 }

// against makes an adapter that speaks to a fake Flutterwave, which gives a token and leaves the rest to api.
func against(t *testing.T, api http.HandlerFunc) *Flutterwave {
	t.Helper()
	f, _ := counted(t, api)
	return f
}

func counted(t *testing.T, api http.HandlerFunc) (*Flutterwave, *identity) {
	t.Helper()
	id := &identity{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != tokenPath {
			api(w, r)
			return
		}
		id.fetched.Add(1)
		_, _ = io.WriteString(w, tokenBody)
	}))
	t.Cleanup(server.Close)
	return open(t, server.URL), id
}

func open(t *testing.T, url string) *Flutterwave {
	t.Helper()
	f, err := New(Config{ClientID: "client-1", ClientSecret: canary, WebhookSecret: hashCanary, BaseURL: url})
	require.NoError(t, err)
	return f
}

// expect checks a request from within a handler, where a test cannot be ended.
func expect(t *testing.T, want, got string) {
	t.Helper()
	if want != got {
		t.Errorf("want %s, got %s", want, got)
	}
}

// answering always answers the same.
func answering(t *testing.T, status int, body string) *Flutterwave {
	t.Helper()
	return against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

func sampleCharge() providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: "txn_42", Key: ourSend, Amount: 1999, Currency: "USD", Description: "Invoice in_7",
		Method: providers.Method{Type: "card", CustomerToken: "cus_9", PaymentMethodToken: "pmd_9"},
	}
}

func samplePrompt() providers.ChargeRequest {
	in := sampleCharge()
	in.Amount, in.Currency = 20000, "GHS"
	in.Method = providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+233241234567"}
	return in
}

func sampleRefund() providers.RefundRequest {
	return providers.RefundRequest{
		TransactionID: "txn_43", Key: ourSend, ChargeRef: "chg_1", Amount: 500, Currency: "USD",
	}
}

// requireClean checks that nothing secret or personal is in a result.
func requireClean(t *testing.T, res providers.Result) {
	t.Helper()
	for _, s := range []string{canary, hashCanary, "tok-1", "241234567", "@example.com", "Ama"} {
		require.NotContains(t, string(res.Response)+res.FailureReason, s)
	}
}
