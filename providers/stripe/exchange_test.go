package stripe

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

const succeededIntent = `{"id":"pi_1","object":"payment_intent","amount":1999,"currency":"usd","status":"succeeded"}`

// The whole request, byte for byte where it matters.
func TestCharge_OnTheWire(t *testing.T) {
	t.Parallel()
	type seen struct {
		method, path string
		header       http.Header
		form         url.Values
	}
	requests := make(chan seen, 1)
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		requests <- seen{r.Method, r.URL.Path, r.Header, r.PostForm}
		_, _ = io.WriteString(w, succeededIntent)
	})
	_, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	got := <-requests
	require.Equal(t, "POST /v1/payment_intents", got.method+" "+got.path)
	require.Equal(t, url.Values{
		"amount": {"1999"}, "currency": {"usd"}, "customer": {"cus_9"}, "payment_method": {"pm_9"},
		"payment_method_types[0]": {"card"}, "off_session": {"true"}, "confirm": {"true"},
		"metadata[txn_id]": {"txn_42"}, "description": {"Invoice in_7"},
	}, got.form)
	for name, want := range map[string]string{
		"Authorization": "Bearer sk_test_canary", "Idempotency-Key": "key-42", "Stripe-Version": "2026-03-25.dahlia",
		"Content-Type": "application/x-www-form-urlencoded",
	} {
		require.Equal(t, want, got.header.Get(name), name)
	}
	require.Empty(t, got.header.Get("X-Stripe-Client-Telemetry"))
}

func TestExchange_ImpossibleRequests(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(http.ResponseWriter, *http.Request) { t.Error("nothing may be sent") })
	for name, c := range map[string]struct {
		spoil  func(*providers.ChargeRequest)
		method bool // the customer's method is at fault, not the request
	}{
		"mobile money":   {func(in *providers.ChargeRequest) { in.Method.Type = "mobile_money_mtn" }, true},
		"no method":      {func(in *providers.ChargeRequest) { in.Method.PaymentMethodToken = "" }, true},
		"no key":         {func(in *providers.ChargeRequest) { in.Key = "" }, false},
		"long key":       {func(in *providers.ChargeRequest) { in.Key = string(make([]byte, 256)) }, false},
		"no transaction": {func(in *providers.ChargeRequest) { in.TransactionID = "" }, false},
		"no amount":      {func(in *providers.ChargeRequest) { in.Amount = 0 }, false},
		"no currency":    {func(in *providers.ChargeRequest) { in.Currency = "" }, false},
	} {
		in := sampleCharge()
		c.spoil(&in)
		_, err := adapter.Charge(t.Context(), in)
		require.Error(t, err, name)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
		require.Equal(t, c.method, strings.HasPrefix(fault.From(err).Code, providers.MethodFault), name)
	}
	_, err := adapter.Refund(t.Context(), providers.RefundRequest{
		TransactionID: "txn_1", Key: "k", Amount: 1, Currency: "USD",
	})
	require.Error(t, err, "a refund of nothing")
}

func TestExchange_CutAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, succeededIntent)
	})
	got, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, got.Outcome)
}

func TestExchange_TimeoutIsUnknown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	adapter := against(t, func(_ http.ResponseWriter, r *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	adapter.timeout = 50 * time.Millisecond
	got, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, got.Outcome)
	require.Contains(t, got.FailureReason, "no complete answer")
}

func TestExchange_UntrustedCertificateIsNotSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("reached")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	s, err := New(Config{SecretKey: "sk_live_1", Live: true, BaseURL: server.URL})
	require.NoError(t, err)
	got, err := s.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, got.Outcome)
}

func TestExchange_UnresolvedNameIsNotSent(t *testing.T) {
	t.Parallel()
	noNames := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn,
		error) {
		return nil, &net.DNSError{Err: "no such host", Name: "api.stripe.com", IsNotFound: true}
	}}}
	s, err := New(Config{SecretKey: "sk_test_1", Transport: noNames.Transport})
	require.NoError(t, err)
	got, err := s.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, got.Outcome)
}

// net/http repeats a POST with an Idempotency-Key when a kept connection dies. The adapter must prevent that: a repeat
// counts against the replay window, which only the caller knows.
func TestExchange_DeadConnectionIsNotRepeated(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 {
			_, _ = io.WriteString(w, succeededIntent) // leaves a connection to keep
			return
		}
		panic(http.ErrAbortHandler)
	})
	first, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, first.Outcome)
	second, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, second.Outcome)
	require.EqualValues(t, 2, requests.Load())
}

func TestExchange_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	t.Cleanup(elsewhere.Close)
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	got, err := adapter.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, got.Outcome)
}
