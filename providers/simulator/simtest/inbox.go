package simtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Message is a callback as it arrived.
type Message struct {
	Method string
	Host   string
	Path   string
	Header http.Header
	Body   []byte
}

// Inbox receives the callbacks of a simulated provider; the first few it refuses.
func (s *Sim) Inbox(t *testing.T, secret string, refuse int, more string) <-chan Message {
	t.Helper()
	messages := make(chan Message, 100)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a torn body fails verification
		if refuse > 0 {
			refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		messages <- Message{Method: r.Method, Host: r.Host, Path: r.URL.EscapedPath(), Header: r.Header, Body: body}
	}))
	t.Cleanup(web.Close)
	got := s.Control(t, http.MethodPut, "callbacks", `{"url":"`+web.URL+`","secret":"`+secret+`"`+more+`}`)
	require.Equal(t, http.StatusOK, got.Status, got.Raw)
	return messages
}
