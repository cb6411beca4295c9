package conformance

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func serve(t *testing.T, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// ClosedPort returns the URL of a port without a listener.
func ClosedPort(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

// patience is generous because only a test that is about to fail ever spends it.
const (
	patience = 30 * time.Second
	tick     = 2 * time.Millisecond
)

// await returns once the condition holds.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !condition() {
		select {
		case <-time.After(tick):
		case <-deadline:
			require.FailNow(t, "waited in vain")
		}
	}
}
