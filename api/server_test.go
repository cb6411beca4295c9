package api

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/contract"
	"perennial/internal/testkit/wait"
)

func TestServer_PanicIsAProblemAndALogLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got := b.send(t, "POST", "/callbacks/"+b.test.providerID, "{}", "Panic", "the secret cause")
	p := problem(t, 500, "internal", "", got)
	require.NotContains(t, string(got.Body), "secret cause")
	require.Equal(t, got.Header.Get("X-Request-Id"), p.RequestID)
	require.Contains(t, b.log.String(), "the secret cause")
	require.Contains(t, b.log.String(), p.RequestID)
}

func TestServer_WithoutDatabaseIsNotReady(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, 200, b.send(t, "GET", "/readyz", nil).Status)
	b.store.Close()
	require.Equal(t, 503, b.ask(t, b.test, "GET", "/api/plans", nil).Status)
	problem(t, 503, "database_unavailable", "", b.send(t, "GET", "/readyz", nil))
	require.Equal(t, 200, b.send(t, "GET", "/healthz", nil).Status)
}

func TestServer_ResponseHasRequestID(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, path := range []string{"/healthz", "/docs", "/nothing", "/api/plans"} {
		got := b.send(t, "GET", path, nil)
		require.Len(t, got.Header.Values("X-Request-Id"), 1, path)
		require.True(t, strings.HasPrefix(got.Header.Get("X-Request-Id"), "req_"), path)
		require.Empty(t, got.Header.Values("Request-Id"), "one id, one header")
		require.Equal(t, "nosniff", got.Header.Get("X-Content-Type-Options"))
	}
}

func TestServer_DrainFinishesRunningRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	arrived, proceed := make(chan struct{}), make(chan struct{})
	b.engine.onSignal = func(context.Context) error {
		close(arrived)
		<-proceed
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- b.Serve(listener) }()
	base := "http://" + listener.Addr().String()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/subscriptions/"+sub.ID+"/cancel", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+b.test.key)
	answered := make(chan int, 1)
	go func() {
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			answered <- 0 // cut off
			return
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		answered <- res.StatusCode
	}()
	<-arrived
	drained := make(chan error, 1)
	go func() { drained <- b.Shutdown(t.Context()) }()
	require.Eventually(t, func() bool {
		return b.send(t, "GET", "/readyz", nil).Status == 503
	}, 10*time.Second, time.Millisecond)
	problem(t, 503, "draining", "", b.send(t, "GET", "/readyz", nil))
	require.Equal(t, 200, b.send(t, "GET", "/healthz", nil).Status)
	close(proceed)
	require.Equal(t, http.StatusOK, <-answered, "the running request must not be cut off")
	require.NoError(t, <-drained)
	require.NoError(t, <-served)
}

// When the process is about to end, a caller that waits for a payment gets its present state, and is not cut off.
func TestServer_DrainEndsWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cust := b.newCustomer(t, b.test)
	paying, answered := make(chan struct{}), make(chan response, 1)
	b.engine.onPayment = func(context.Context, contract.PaymentInput) error {
		close(paying)
		return nil
	}
	r := b.request(t, "POST", "/api/payments", map[string]any{"customerId": cust.ID, "amount": 500, "currency": "USD"},
		"Authorization", "Bearer "+b.test.key, "Prefer", "wait=30")
	go func() { answered <- b.serve(r) }()
	<-paying
	require.NoError(t, b.Shutdown(t.Context()))
	select {
	case got := <-answered:
		require.Equal(t, "pending", as[Payment](t, 201, got).Status)
	case <-time.After(wait.Patience):
		t.Fatal("it still waits for the payment")
	}
}

func TestServer_BoundsRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, maxHeader, b.http.MaxHeaderBytes)
	require.Equal(t, readHeaderTimeout, b.http.ReadHeaderTimeout)
	require.Positive(t, b.http.ReadTimeout)
	slowest := b.http.ReadTimeout + httpkit.LongestAnswer
	require.Greater(t, b.http.WriteTimeout, slowest, "an answer that waits must not be cut off")

	server := httptest.NewUnstartedServer(b.Handler())
	server.Config = b.http
	server.Start()
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/healthz", nil)
	require.NoError(t, err)
	r.Header.Set("X-Long", strings.Repeat("x", 2*maxHeader))
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, res.StatusCode)
}
