package adyen

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// The published vector's key; it signs in all tests.
const testHMACKey = "DFB1EB5485895CFA84146406857104ABB4CBCABDC8AAF103A624C8F6A3EAAB00"

const testAPIKey = "AQE_canary_of_the_key"

func credentials() map[string]string {
	return map[string]string{
		FieldAPIKey: testAPIKey, FieldMerchantAccount: "AcmeECOM", FieldWebhookSecret: testHMACKey,
	}
}

func open(t *testing.T, account providers.Account) *Adyen {
	t.Helper()
	if account.Credentials == nil {
		account.Credentials = credentials()
	}
	p, err := Factory{}.Open(account)
	require.NoError(t, err)
	adapter, ok := p.(*Adyen)
	require.True(t, ok)
	return adapter
}

// against is an adapter whose Adyen is a handler.
func against(t *testing.T, h http.HandlerFunc) *Adyen {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return open(t, providers.Account{BaseURL: server.URL})
}

// answering is an adapter whose Adyen always gives the same answer.
func answering(t *testing.T, status int, body string, header ...string) *Adyen {
	t.Helper()
	return against(t, func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// seen is a request as Adyen receives it.
type seen struct {
	method, path string
	header       http.Header
	body         map[string]any
}

// recording is an adapter whose Adyen gives the answers in order, the last for good, and keeps the requests.
func recording(t *testing.T, answers ...string) (*Adyen, func() []seen) {
	t.Helper()
	requests := make(chan seen, 10)
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		got := seen{method: r.Method, path: r.URL.EscapedPath(), header: r.Header}
		_ = json.NewDecoder(r.Body).Decode(&got.body)
		requests <- got
		_, _ = io.WriteString(w, answers[min(len(requests), len(answers))-1])
	})
	return adapter, func() []seen {
		var all []seen
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
}

func sampleCharge() providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: "txn_42", Key: "8f1c5e1e-6a39-5d0c-9d27-1f6f8f6c0b11", Amount: 1999, Currency: "EUR",
		Method: providers.Method{
			Type: "card", CustomerToken: "shopper_7", PaymentMethodToken: "M5N7TQ4TG5PFWR50",
		},
		Description: "Invoice in_7",
	}
}

// sampleReference is the reference of sampleCharge; operation replaces the c.
func sampleReference(op operation) string {
	return newReference("txn_42", op, sampleCharge().Key).String()
}

func sampleRefund() providers.RefundRequest {
	return providers.RefundRequest{
		TransactionID: "txn_43", Key: "refund-1", ChargeRef: "993617894903480A", Amount: 500, Currency: "EUR",
	}
}
