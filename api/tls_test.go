package api

import (
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/internal/certfile"
	"perennial/internal/certfile/certtest"
)

// The API speaks TLS and HTTP/2 itself, with the same limits.
func TestServe_TLS(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cert, key := certtest.Write(t, t.TempDir(), 1)
	pair, err := certfile.Open(cert, key, b.clock, func(err error) { t.Error(err) })
	require.NoError(t, err)
	b.config.TLS = pair.Config()
	b.Server = b.newServer(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = b.Serve(listener) }() // ends with Shutdown

	transport := &http.Transport{
		ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // self-signed
	}
	t.Cleanup(transport.CloseIdleConnections)
	ask := func(method, body string) (proto string, status int) {
		r, err := http.NewRequestWithContext(
			t.Context(), method, "https://"+listener.Addr().String()+"/api/plans", strings.NewReader(body),
		)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+b.test.key)
		got, err := transport.RoundTrip(r)
		require.NoError(t, err)
		require.NoError(t, got.Body.Close())
		return got.Proto, got.StatusCode
	}
	proto, status := ask("GET", "")
	require.Equal(t, "HTTP/2.0", proto)
	require.Equal(t, http.StatusOK, status)
	_, status = ask("POST", strings.Repeat(" ", 1<<20+1))
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
}
