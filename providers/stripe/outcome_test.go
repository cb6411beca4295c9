package stripe

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/providers"
)

// against gives an adapter whose provider is h.
func against(t *testing.T, h http.HandlerFunc) *Stripe {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	s, err := New(Config{SecretKey: "sk_test_canary", BaseURL: server.URL})
	require.NoError(t, err)
	return s
}

func sampleCharge() providers.ChargeRequest {
	return providers.ChargeRequest{
		TransactionID: "txn_42", Key: "key-42", Amount: 1999, Currency: "USD", Description: "Invoice in_7",
		Method: providers.Method{Type: "card", CustomerToken: "cus_9", PaymentMethodToken: "pm_9"},
	}
}

// Every status and error type that Stripe documents, and its proof about a charge and about a look-up.
func TestOutcome_Table(t *testing.T) {
	t.Parallel()
	const (
		d, f, u, n, p, s, c = providers.Declined, providers.Failed, providers.Unknown, providers.NotSent, providers.Pending,
			providers.Succeeded, providers.Canceled
		none = providers.NotFound
	)
	intent := func(status string) string {
		return `{"id":"pi_1","object":"payment_intent","amount":1999,"currency":"usd","status":"` + status + `"}`
	}
	failure := func(fields string) string { return `{"error":{"message":"m",` + fields + `}}` }
	for name, tc := range map[string]struct {
		status int
		body   string
		charge providers.Outcome
		lookup providers.Outcome
		code   providers.FailureCode
	}{
		"succeeded":               {200, intent("succeeded"), s, s, ""},
		"processing":              {200, intent("processing"), p, p, ""},
		"requires_capture":        {200, intent("requires_capture"), p, p, ""},
		"a status of tomorrow":    {200, intent("contemplating"), p, p, ""},
		"canceled":                {200, intent("canceled"), c, c, ""},
		"requires_payment_method": {200, intent("requires_payment_method"), d, d, providers.DeclinedCode},
		"requires_action":         {200, intent("requires_action"), d, d, providers.DeclinedCode},
		"requires_confirmation":   {200, intent("requires_confirmation"), d, d, providers.DeclinedCode},
		"200 and no object":       {200, `{}`, u, u, ""},
		"200 and a web page":      {200, `<html>`, u, u, ""},
		"200 and nothing":         {200, ``, u, u, ""},
		"200, unreadable amount": {200,
			`{"id":"pi_1","object":"payment_intent","amount":1,"currency":"ugx","status":"succeeded"}`, u, u, ""},
		"204":      {204, ``, u, u, ""},
		"redirect": {307, ``, u, u, ""},
		"card error": {402,
			failure(`"type":"card_error","code":"card_declined","decline_code":"insufficient_funds"`), d, u,
			providers.InsufficientFunds},
		"card error without 402": {400, failure(`"type":"card_error","code":"expired_card"`), d, u,
			providers.InvalidAccount},
		"402 of another type": {402, failure(`"type":"invalid_request_error"`), d, u, providers.DeclinedCode},
		"no such payment method": {400,
			failure(`"type":"invalid_request_error","code":"resource_missing","param":"payment_method"`), d, u,
			providers.InvalidAccount},
		"no such customer": {400,
			failure(`"type":"invalid_request_error","code":"resource_missing","param":"customer"`), d, u,
			providers.InvalidAccount},
		"no such path": {404,
			failure(`"type":"invalid_request_error","code":"resource_missing","param":"intent"`), f, none, ""},
		"no such URL": {404, failure(`"type":"invalid_request_error"`), f, u, ""},
		"bad parameter": {400,
			failure(`"type":"invalid_request_error","code":"amount_too_small","param":"amount"`), f, u, ""},
		"400 from a proxy":          {400, `<html>`, u, u, ""},
		"404 from a proxy":          {404, `not found`, u, u, ""},
		"unauthorized":              {401, failure(`"type":"invalid_request_error"`), n, u, ""},
		"forbidden":                 {403, failure(`"type":"invalid_request_error"`), n, u, ""},
		"forbidden by a firewall":   {403, `<html>`, n, u, ""},
		"rate limited":              {429, failure(`"type":"invalid_request_error","code":"rate_limit"`), n, u, ""},
		"object locked":             {429, failure(`"type":"invalid_request_error","code":"lock_timeout"`), n, u, ""},
		"key in use":                {409, failure(`"type":"idempotency_error","code":"idempotency_key_in_use"`), u, u, ""},
		"another conflict":          {409, failure(`"type":"invalid_request_error"`), u, u, ""},
		"dependency failed":         {424, failure(`"type":"api_error"`), u, u, ""},
		"internal error":            {500, failure(`"type":"api_error"`), u, u, ""},
		"a card error inside 500":   {500, failure(`"type":"card_error"`), u, u, ""},
		"bad gateway":               {502, `<html>`, u, u, ""},
		"unavailable":               {503, ``, u, u, ""},
		"an error type of tomorrow": {400, failure(`"type":"quantum_error"`), u, u, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(tc.body))
			})
			got, err := adapter.Charge(t.Context(), sampleCharge())
			require.NoError(t, err)
			require.Equal(t, tc.charge, got.Outcome)
			require.Equal(t, tc.code, got.FailureCode)
			require.Equal(t, tc.status, got.HTTPStatus)
			if got.Outcome != s && got.Outcome != p && got.Outcome != c {
				require.NotEmpty(t, got.FailureReason)
			}
			got, err = adapter.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "pi_1"})
			require.NoError(t, err)
			require.Equal(t, tc.lookup, got.Outcome)
		})
	}
}

func TestOutcome_KeyReusedIsOurFault(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(
			[]byte(
				`{"error":{"type":"idempotency_error","message":"Keys for idempotent requests can only be used with the same parameters"}}`,
			),
		)
	})
	_, err := adapter.Charge(t.Context(), sampleCharge())
	require.Equal(t, payment.CodeKeyReused, fault.From(err).Code)
	require.False(t, fault.From(err).Retryable())
}

// The first use of the key was about the same transaction with another card: a search for the transaction finds it.
func TestOutcome_KeyReusedIsFoundByLookup(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":{"type":"idempotency_error","message":"same parameters"}}`))
			return
		}
		assert.Equal(t, "/v1/payment_intents/search", r.URL.Path)
		assert.Equal(t, "metadata['txn_id']:'txn_42'", r.URL.Query().Get("query"))
		_,
			_ = w.Write([]byte(`{"object":"search_result","data":[{"object":"payment_intent","id":"pi_1","status":"succeeded",` +
			`"amount":1999,"amount_received":1999,"currency":"usd","payment_method":"pm_other","metadata":{"txn_id":"txn_42"}}]}`))
	})
	_, err := adapter.Charge(t.Context(), sampleCharge())
	require.Equal(t, payment.CodeKeyReused, fault.From(err).Code)
	got, err := adapter.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42"})
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, got.Outcome)
	require.Equal(t, "pi_1", got.Ref)
	require.EqualValues(t, 1999, got.Amount)
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "-1": 0, "999999": 0, "Fri, 20 Nov 2026 11:00:00 GMT": 0,
	} {
		require.Equal(t, want, retryAfter(http.Header{"Retry-After": {header}}), header)
	}
}

func TestOutcome_DeclineCarriesIntent(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusPaymentRequired)
		_, _ = w.Write([]byte(`{"error":{"type":"card_error","code":"card_declined","decline_code":"stolen_card","message":"Your card was declined.",
			"payment_intent":{"id":"pi_7","object":"payment_intent","amount":1999,"currency":"usd","status":"requires_payment_method","client_secret":"x"}}}`))
	})
	got, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.JSONEq(t, `{"error":{"type":"card_error","code":"card_declined","decline_code":"stolen_card","message":"Your card was declined.",
		"payment_intent":{"id":"pi_7","object":"payment_intent","amount":1999,"currency":"usd","status":"requires_payment_method"}}}`, string(got.Response))
	got.Response = nil
	require.Equal(t, providers.Result{
		Outcome: providers.Declined, Ref: "pi_7", Amount: 1999, Currency: "USD", HTTPStatus: 402,
		FailureCode: providers.AccountBlocked, FailureReason: "Your card was declined.",
	}, got)
}

func TestOutcome_RefundStatuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]providers.Outcome{
		"succeeded": providers.Succeeded, "pending": providers.Pending, "requires_action": providers.Pending,
		"failed": providers.Failed, "canceled": providers.Canceled, "new": providers.Pending,
	} {
		adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"id":"re_1","object":"refund","amount":500000,"currency":"ugx","status":"` + status +
				`","failure_reason":"unknown"}`))
		})
		got, err := adapter.Refund(t.Context(), providers.RefundRequest{
			TransactionID: "txn_1", Key: "k", ChargeRef: "pi_1", Amount: 5000, Currency: "UGX",
		})
		require.NoError(t, err)
		require.Equal(t, want, got.Outcome, status)
		require.EqualValues(t, 5000, got.Amount)
	}
}
