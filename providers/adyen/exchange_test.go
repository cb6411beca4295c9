package adyen

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

func charge(t *testing.T, a *Adyen) providers.Result {
	t.Helper()
	res, err := a.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	return res
}

func TestExchange_CutAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	adapter := answering(t, http.StatusOK, paid, "Content-Length", "1000")
	require.Equal(t, providers.Unknown, charge(t, adapter).Outcome)
}

func TestExchange_HugeAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	adapter := against(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"resultCode":"Authorised","pspReference":"`)
		_, _ = w.Write(make([]byte, 2<<20))
		_, _ = io.WriteString(w, `"}`)
	})
	require.Equal(t, providers.Unknown, charge(t, adapter).Outcome)
}

func TestExchange_TimeoutIsUnknown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	adapter := against(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	adapter.timeout = 50 * time.Millisecond
	res := charge(t, adapter)
	require.Equal(t, providers.Unknown, res.Outcome)
	require.Contains(t, res.FailureReason, "no complete answer")
}

func TestExchange_UntrustedCertificateIsNotSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("reached")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	require.Equal(t, providers.NotSent, charge(t, open(t, providers.Account{BaseURL: server.URL})).Outcome)
}

func TestExchange_UnresolvedNameIsNotSent(t *testing.T) {
	t.Parallel()
	noNames := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "checkout-test.adyen.com", IsNotFound: true}
	}}
	adapter := open(t, providers.Account{Transport: noNames})
	require.Equal(t, providers.NotSent, charge(t, adapter).Outcome)
	refund, err := adapter.Refund(t.Context(), sampleRefund())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, refund.Outcome)
	cancel, err := adapter.CancelCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Key: "k"})
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, cancel.Outcome, "a cancel that was not sent says nothing about the charge")
}

// net/http repeats a POST with an Idempotency-Key when a kept connection dies. The adapter must prevent that: a repeat
// counts against the replay window, which only the caller knows.
func TestExchange_DeadConnectionIsNotRepeated(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 {
			_, _ = io.WriteString(w, paid) // leaves a connection to keep
			return
		}
		panic(http.ErrAbortHandler)
	})
	require.Equal(t, providers.Succeeded, charge(t, adapter).Outcome)
	require.Equal(t, providers.Unknown, charge(t, adapter).Outcome)
	require.EqualValues(t, 2, requests.Load())
}

func TestExchange_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	t.Cleanup(elsewhere.Close)
	adapter := against(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	require.Equal(t, providers.Unknown, charge(t, adapter).Outcome)
}
