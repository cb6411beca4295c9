package simulator

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rig is a simulator behind a test server, with a clock the test moves.
type rig struct {
	*Server
	url   string
	clock *clock
	stop  func()
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func start(t *testing.T, path string, change func(*Config)) *rig {
	t.Helper()
	r := &rig{clock: &clock{at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}}
	c := Config{LedgerPath: path, Now: r.clock.now}
	if change != nil {
		change(&c)
	}
	sim, err := New(c)
	require.NoError(t, err)
	listener, err := sim.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: sim.Handler()}} //nolint:gosec // a test
	server.Start()
	r.stop = sync.OnceFunc(func() {
		server.Close()
		require.NoError(t, sim.Close())
	})
	t.Cleanup(r.stop)
	r.Server, r.url = sim, server.URL
	return r
}

func fresh(t *testing.T) *rig {
	t.Helper()
	return start(t, filepath.Join(t.TempDir(), "ledger.jsonl"), nil)
}

// reply is an answer, decoded.
type reply struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

func (r reply) id() string    { return r.body["id"].(string) }
func (r reply) state() string { return r.body["status"].(string) }
func (r reply) code() string  { return r.failure("code") }
func (r reply) failure(field string) string {
	e, _ := r.body["error"].(map[string]any)
	s, _ := e[field].(string)
	return s
}

func (r *rig) do(t *testing.T, method, path, key, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer sk_test_1")
	if method == http.MethodPost && strings.HasPrefix(path, "/v1/") {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	out := reply{status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &out.body) // lists stay raw
	return out
}

// charge confirms a payment intent for $19.99.
func (r *rig) charge(t *testing.T, token, key string) reply {
	t.Helper()
	return r.do(t, http.MethodPost, "/v1/payment_intents", key, chargeForm(token).Encode())
}

func chargeForm(token string) url.Values {
	return url.Values{
		"amount": {"1999"}, "currency": {"usd"}, "payment_method": {token}, "payment_method_types[0]": {"card"},
		"confirm": {"true"}, "off_session": {"true"}, "metadata[txn_id]": {"txn_1"}, "customer": {"cus_1"},
	}
}

func (r *rig) captures() (n int) {
	for _, m := range r.Ledger() {
		if m.Kind == "capture" {
			n++
		}
	}
	return n
}
