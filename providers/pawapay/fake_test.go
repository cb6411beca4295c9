package pawapay

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

const (
	token     = "token-canary-0123456789"
	pathTail  = "tail_canary_0123456789"
	key       = "0b9a1c5e-7a1d-5e0c-9d2f-6a4f5b3c2d1e"
	depositID = "0b9a1c5e-7a1d-4e0c-9d2f-6a4f5b3c2d1e"
	number    = "250783456789"
	deposit   = "POST /v2/deposits"
	read      = "GET /v2/deposits/" + depositID
	conf      = "GET /v2/active-conf"
)

// fake answers by method and path, and records the requests. A path without an answer fails the test.
type fake struct {
	t       *testing.T
	mu      sync.Mutex
	answers map[string]string // "<status> <body>", the last one repeats
	asked   []string
	bodies  []string
	headers []http.Header
}

// answering serves the answers. Without one for the configuration it fails as if it were down.
func answering(t *testing.T, answers map[string]string) (*PawaPay, *fake) {
	t.Helper()
	f := &fake{t: t, answers: answers}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	return at(t, server.URL), f
}

func at(t *testing.T, url string) *PawaPay {
	t.Helper()
	p, err := New(Config{APIToken: token, WebhookSecret: pathTail, BaseURL: url})
	require.NoError(t, err)
	return p
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	name := r.Method + " " + r.URL.Path
	f.mu.Lock()
	answer, ok := f.answers[name]
	if name != conf {
		f.asked, f.bodies, f.headers = append(f.asked, name), append(f.bodies, string(body)), append(f.headers, r.Header)
	}
	f.mu.Unlock()
	if !ok && name == conf {
		answer, ok = "503 ", true
	}
	if !ok {
		f.t.Errorf("unexpected %s", name)
	}
	status, text, _ := strings.Cut(answer, " ")
	var code int
	_ = json.Unmarshal([]byte(status), &code)
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text)
}

func sampleCharge() providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: "txn_42", Key: key, Amount: 5000, Currency: "RWF", Description: "Invoice in_7",
		Method: providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250 783-456-789"},
	}
}

// found is a look-up's answer.
func found(status, more string) string {
	return `200 {"status":"FOUND","data":{"depositId":"` + depositID + `","status":"` + status + `","amount":"5000.00",` +
		`"currency":"RWF","country":"RWA","payer":{"type":"MMO","accountDetails":{"phoneNumber":"` + number +
		`","provider":"MTN_MOMO_RWA"}},"metadata":{"txnId":"txn_42"}` + more + `}}`
}

const absent = `200 {"status":"NOT_FOUND"}`

// clean requires that nothing secret or personal is in a result.
func clean(t *testing.T, res providers.Result) providers.Result {
	t.Helper()
	for _, secret := range []string{token, pathTail, number, "783456789", "783 456 789"} {
		require.NotContains(t, string(res.Response), secret)
		require.NotContains(t, res.FailureReason, secret)
	}
	return res
}
