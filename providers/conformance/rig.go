package conformance

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/stripesim"
)

// WebhookSecret is what the rig's simulator signs callbacks with.
const WebhookSecret = "whsec_conformance"

// Rig is a simulator behind a real port, with a receiver for its callbacks.
type Rig struct {
	URL      string
	arrived  atomic.Int64 // provider requests that reached the simulator
	now      func() time.Time
	messages chan providers.CallbackRequest
}

// NewRig starts a simulator that knows only the given keys, and stops it with the test. now is real time.
func NewRig(t *testing.T, now func() time.Time, keys ...string) *Rig {
	t.Helper()
	r := &Rig{now: now, messages: make(chan providers.CallbackRequest, 100)}
	sim, err := core.New(core.Config{
		LedgerPath: filepath.Join(t.TempDir(), "ledger.jsonl"),
		Now:        now,
		Callbacks:  core.Callbacks{URL: r.receive(t), Secret: WebhookSecret},
	}, stripesim.New(stripesim.Config{SecretKeys: keys}))
	require.NoError(t, err)
	listener, err := sim.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if !strings.HasPrefix(req.URL.Path, "/_simulator/") {
				r.arrived.Add(1)
			}
			sim.Handler().ServeHTTP(w, req)
		})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		require.NoError(t, sim.Close())
	})
	r.URL = "http://" + listener.Addr().String()
	return r
}

// Movements reads the provider's ledger over HTTP, as an outsider would.
func (r *Rig) Movements(t *testing.T, kind string) []core.Movement {
	t.Helper()
	var all, some []core.Movement
	require.NoError(t, json.Unmarshal(r.control(t, http.MethodGet, "ledger", ""), &all))
	for _, m := range all {
		if m.Kind == kind {
			some = append(some, m)
		}
	}
	return some
}

// Settle ends a pending charge.
func (r *Rig) Settle(t *testing.T, ref, status string) {
	t.Helper()
	r.control(t, http.MethodPost, "payments/"+ref+"/settle", `{"status":"`+status+`"}`)
}

// SettleRefund ends a pending refund, or reverses one that succeeded.
func (r *Rig) SettleRefund(t *testing.T, ref, status string) {
	t.Helper()
	r.control(t, http.MethodPost, "refunds/"+ref+"/settle", `{"status":"`+status+`"}`)
}

// Script makes a payment method behave like another from now on.
func (r *Rig) Script(t *testing.T, token, behaviour string) {
	t.Helper()
	r.control(t, http.MethodPut, "cards/"+token, `{"behaviour":"`+behaviour+`"}`)
}

// ForgetKeys is the end of the provider's idempotency window.
func (r *Rig) ForgetKeys(t *testing.T) {
	t.Helper()
	r.control(t, http.MethodDelete, "idempotency_keys", "")
}

// Resend sends one more event about an object.
func (r *Rig) Resend(t *testing.T, ref, event, secret string) {
	t.Helper()
	r.control(t, http.MethodPost, "callbacks", `{"object":"`+ref+`","type":"`+event+`","secret":"`+secret+`"}`)
}

// NextCallback waits for the next message from the provider.
func (r *Rig) NextCallback(t *testing.T) providers.CallbackRequest {
	t.Helper()
	select {
	case m := <-r.messages:
		return m
	case <-time.After(patience):
		require.Fail(t, "no callback arrived")
		return providers.CallbackRequest{}
	}
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

// reached reports whether a request came in since the call.
func (r *Rig) reached() func() bool {
	before := r.arrived.Load()
	return func() bool { return r.arrived.Load() > before }
}

func (r *Rig) control(t *testing.T, method, path, body string) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL+"/_simulator/"+path, strings.NewReader(body))
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
