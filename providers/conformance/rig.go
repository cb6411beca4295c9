package conformance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/simulator/core"
)

// WebhookSecret is the secret with which the rig's simulator signs callbacks, unless it is given another.
const WebhookSecret = "whsec_conformance"

// Rig is a simulated provider behind a real port, with a receiver for its callbacks.
type Rig struct {
	URL      string
	dialect  core.Dialect
	now      func() time.Time
	messages chan providers.CallbackRequest
	server   *core.Server
}

// NewRig starts a simulated provider whose callbacks are signed with the secret, and stops it with the test. now is
// real time.
func NewRig(t *testing.T, now func() time.Time, d core.Dialect, secret string) *Rig {
	t.Helper()
	r := &Rig{dialect: d, now: now, messages: make(chan providers.CallbackRequest, 1000)}
	sim, err := core.New(core.Config{
		LedgerPath: filepath.Join(t.TempDir(), "ledger.jsonl"), Now: now,
		Callbacks: core.Callbacks{URL: r.receive(t), Secret: secret},
	}, d)
	require.NoError(t, err)
	listener, err := sim.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: sim.Handler()}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		require.NoError(t, sim.Close())
	})
	r.URL, r.server = "http://"+listener.Addr().String(), sim
	return r
}

// NextCallback waits for the next message from the provider.
func (r *Rig) NextCallback(t *testing.T) providers.CallbackRequest {
	t.Helper()
	select {
	case m := <-r.messages:
		return m
	case <-time.After(patience):
		require.FailNow(t, "no callback arrived")
		return providers.CallbackRequest{}
	}
}

func (r *Rig) falsify(body []byte, lie string) ([]byte, error) {
	return r.dialect.Falsify(body, core.Lie(lie))
}

// interrupted runs do and takes its context away once until holds, which tells how far the provider must get.
func (r *Rig) interrupted(t *testing.T, until func() bool, do func(ctx context.Context)) {
	t.Helper()
	ctx, giveUp := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	await(t, until)
	giveUp()
	<-done
}

// reached reports whether a request came in on a path since the call.
func (r *Rig) reached(t *testing.T, path string) func() bool {
	t.Helper()
	count := func() (n int) {
		for _, q := range r.server.Requests() {
			if strings.HasPrefix(q.Method+" "+q.Path, path) {
				n++
			}
		}
		return n
	}
	before := count()
	return func() bool { return count() > before }
}

func (r *Rig) control(t *testing.T, method, path string, in any) []byte {
	t.Helper()
	body, err := json.Marshal(in)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL+"/_simulator/"+path, strings.NewReader(string(body)))
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusOK, res.StatusCode, string(answer))
	return answer
}

// receive starts the receiver and returns its URL.
func (r *Rig) receive(t *testing.T) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.messages <- providers.CallbackRequest{
			Method: req.Method, Host: req.Host, Path: req.URL.EscapedPath(), Header: req.Header, Body: body,
		}
	})
}
