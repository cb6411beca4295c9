package flutterwave

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
	"perennial/providers/wire"
)

func TestExchange_CutAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, succeededCharge)
	})
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}

func TestExchange_HugeAnswerIsUnknown(t *testing.T) {
	t.Parallel()
	f := against(t, func(w http.ResponseWriter, _ *http.Request) {
		for range maxAnswer/1024 + 2 {
			_, _ = w.Write(make([]byte, 1024))
		}
	})
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}

func TestExchange_TimeoutIsUnknown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f := against(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	f.tokens.keep(wire.Seal("tok-1"), "600")
	f.timeout = 50 * time.Millisecond
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
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
	f := open(t, server.URL)
	f.tokens.keep(wire.Seal("tok-1"), "600")
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, res.Outcome)
}

func TestExchange_UnresolvedNameIsNotSent(t *testing.T) {
	t.Parallel()
	f, err := New(Config{ClientID: "c", ClientSecret: "s", Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "developersandbox-api.flutterwave.com", IsNotFound: true}
		},
	}})
	require.NoError(t, err)
	for _, token := range []string{"", "tok-1"} {
		if token != "" {
			f.tokens.keep(wire.Seal(token), "600")
		}
		res, err := f.Charge(t.Context(), sampleCharge())
		require.NoError(t, err)
		require.Equal(t, providers.NotSent, res.Outcome)
	}
}

// net/http repeats a POST with an X-Idempotency-Key when a kept connection dies. The adapter must prevent that: a
// repeat counts against the replay window, which only the caller knows.
func TestExchange_DeadConnectionIsNotRepeated(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 {
			_, _ = io.WriteString(w, succeededCharge) // leaves a connection to keep
			return
		}
		panic(http.ErrAbortHandler)
	})
	first, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Succeeded, first.Outcome)
	second, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, second.Outcome)
	require.EqualValues(t, 2, requests.Load())
}

func TestExchange_RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("followed") }))
	t.Cleanup(elsewhere.Close)
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}
