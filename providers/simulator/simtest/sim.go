// Package simtest starts a simulated provider behind a real port for a test, and speaks to it. It does not own any
// provider's protocol: a test names the dialect.
package simtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
)

// Sim is a simulated provider with a clock that the test moves.
type Sim struct {
	*core.Server
	URL   string
	Clock *Clock
	Stop  func() // also done when the test ends
}

// Clock changes only when it is advanced.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// Now is the time on the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Fresh starts a dialect with an empty ledger.
func Fresh(t *testing.T, d core.Dialect) *Sim {
	t.Helper()
	return Start(t, filepath.Join(t.TempDir(), "ledger.jsonl"), d, nil)
}

// Start starts a dialect on the ledger at path. change may be nil.
func Start(t *testing.T, path string, d core.Dialect, change func(*core.Config)) *Sim {
	t.Helper()
	s := &Sim{Clock: &Clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}}
	c := core.Config{LedgerPath: path, Now: s.Clock.Now}
	if change != nil {
		change(&c)
	}
	server, err := core.New(c, d)
	require.NoError(t, err)
	listener, err := server.Listen("127.0.0.1:0")
	require.NoError(t, err)
	web := &httptest.Server{
		Listener: listener,
		Config:   &http.Server{Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second},
	}
	web.Start()
	s.Stop = sync.OnceFunc(func() {
		web.Close()
		require.NoError(t, server.Close())
	})
	t.Cleanup(s.Stop)
	s.Server, s.URL = server, web.URL
	return s
}

// Reply is an answer; Body is nil where it is no JSON object.
type Reply struct {
	Status int
	Header http.Header
	Raw    string
	Body   map[string]any
}

// Text is a text of the body by its path.
func (r Reply) Text(path ...string) string {
	var at any = r.Body
	for _, name := range path {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	s, _ := at.(string)
	return s
}

// Do sends one request. headers are names and values in turn.
func Do(t *testing.T, method, url, body string, headers ...string) Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	out := Reply{Status: res.StatusCode, Header: res.Header, Raw: string(raw)}
	_ = json.Unmarshal(raw, &out.Body) // lists stay raw
	return out
}

// Control sends a command of the control API.
func (s *Sim) Control(t *testing.T, method, path, body string) Reply {
	t.Helper()
	return Do(t, method, s.URL+"/_simulator/"+path, body)
}

// Moved are the movements of a kind.
func (s *Sim) Moved(kind string) (out []core.Movement) {
	for _, m := range s.Ledger() {
		if m.Kind == kind {
			out = append(out, m)
		}
	}
	return out
}
