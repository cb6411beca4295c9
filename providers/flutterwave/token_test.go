package flutterwave

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/providers"
)

// withoutToken returns an adapter with the given identity server, and an API that must never be reached. It also counts
// the connections at the API's port: none means that no byte of a request can have left.
func withoutToken(t *testing.T, identity http.HandlerFunc) (*Flutterwave, *atomic.Int64) {
	t.Helper()
	connections := &atomic.Int64{}
	api := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the charge left")
	}))
	api.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	api.Start()
	t.Cleanup(api.Close)
	tokens := httptest.NewServer(identity)
	t.Cleanup(tokens.Close)
	f := open(t, api.URL)
	f.tokens.url = tokens.URL + tokenPath
	return f, connections
}

func TestToken_FailureBeforeTheChargeIsNotSent(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		identity http.HandlerFunc
		status   int
	}{
		"wrong secret":      {answer(401, `{"error":"invalid_client","error_description":"`+canary+`"}`), 401},
		"unknown client":    {answer(400, `{"error":"unauthorized_client"}`), 401},
		"another refusal":   {answer(400, `{"error":"invalid_request"}`), 400},
		"limited":           {answer(429, ``), 429},
		"down":              {answer(503, `<html>`), 503},
		"no JSON":           {answer(200, `<html>`), 200},
		"no token":          {answer(200, `{"expires_in":600}`), 200},
		"a token of spaces": {answer(200, `{"access_token":"a b","expires_in":600}`), 200},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"access`)
		}, 200},
		"reset": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0},
	} {
		f, connections := withoutToken(t, c.identity)
		charge, err := f.Charge(t.Context(), sampleCharge())
		require.NoError(t, err, name)
		require.Equal(t, providers.NotSent, charge.Outcome, name)
		require.Equal(t, c.status, charge.HTTPStatus, name)
		require.NotEmpty(t, charge.FailureReason, name)
		requireClean(t, charge)
		refund, err := f.Refund(t.Context(), sampleRefund())
		require.NoError(t, err, name)
		require.Equal(t, providers.NotSent, refund.Outcome, name)
		found, err := f.LookupCharge(t.Context(), providers.LookupRequest{TransactionID: "txn_42", Ref: "chg_1"})
		require.NoError(t, err, name)
		require.Equal(t, providers.Unknown, found.Outcome, "it says nothing about the charge: %s", name)
		require.Zero(t, connections.Load(), "%s: no connection, so no byte left", name)
	}
}

func TestToken_HangBeforeTheChargeIsNotSent(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	f, connections := withoutToken(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	f.timeout = 50 * time.Millisecond
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.NotSent, res.Outcome)
	require.Zero(t, connections.Load())
}

func TestToken_SharedByManyRequests(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	f, id := counted(t, func(w http.ResponseWriter, r *http.Request) {
		expect(t, "Bearer tok-1", r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, succeededCharge)
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			<-arrived
			res, err := f.Charge(t.Context(), sampleCharge())
			require.NoError(t, err)
			require.Equal(t, providers.Succeeded, res.Outcome)
		})
	}
	close(arrived)
	all.Wait()
	require.EqualValues(t, 1, id.fetched.Load())
}

// A request that is given up must not take the token away from others that wait for it.
func TestToken_OutlivesTheRequestThatBeganIt(t *testing.T) {
	t.Parallel()
	begun, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { close(begun) })
		<-release
		_, _ = io.WriteString(w, tokenBody)
	}))
	t.Cleanup(server.Close)
	f := open(t, server.URL)
	ctx, giveUp := context.WithCancel(t.Context())
	gaveUp := make(chan error)
	go func() {
		_, err := f.tokens.get(ctx)
		gaveUp <- err
	}()
	<-begun
	waited := make(chan error)
	go func() {
		_, err := f.tokens.get(t.Context())
		waited <- err
	}()
	giveUp()
	require.Error(t, <-gaveUp)
	close(release)
	require.NoError(t, <-waited)
}

func TestToken_ReplacedOnceWhenRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		refusals int64
		outcome  providers.Outcome
		requests int64
	}{
		"once":   {1, providers.Succeeded, 2},
		"always": {9, providers.NotSent, 2},
	} {
		var requests atomic.Int64
		f, id := counted(t, func(w http.ResponseWriter, _ *http.Request) {
			if requests.Add(1) <= c.refusals {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"status":"failed","error":{"type":"UNAUTHORIZED","code":"10401","message":"no"}}`)
				return
			}
			_, _ = io.WriteString(w, succeededCharge)
		})
		res, err := f.Charge(t.Context(), sampleCharge())
		require.NoError(t, err)
		require.Equal(t, c.outcome, res.Outcome, name)
		require.Equal(t, c.requests, requests.Load(), name)
		require.EqualValues(t, 2, id.fetched.Load(), name)
	}
}

// The second attempt after a refused token is a send like any other: its silence proves nothing.
func TestToken_SilenceAfterTheReplacementIsUnknown(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	f := against(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if requests.Add(1) == 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		panic(http.ErrAbortHandler)
	})
	res, err := f.Charge(t.Context(), sampleCharge())
	require.NoError(t, err)
	require.Equal(t, providers.Unknown, res.Outcome)
}

// fake is a transport without a network, so that time can be the test's own.
type fake func(*http.Request) string

func (f fake) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(f(r))),
	}, nil
}

func TestToken_ReplacedAMinuteEarly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expiresIn      string
		kept, replaced time.Duration
	}{
		{"600", 539 * time.Second, 541 * time.Second},
		{"60", 29 * time.Second, 31 * time.Second}, // half of a life that is shorter than two minutes
	} {
		synctest.Test(t, func(t *testing.T) {
			fetched := 0
			f, err := New(Config{ClientID: "c", ClientSecret: "s", Transport: fake(func(r *http.Request) string {
				require.Equal(t, "https://idp.flutterwave.com"+tokenPath, r.URL.String())
				require.NoError(t, r.ParseForm())
				require.Equal(t, []string{"c", "s", "client_credentials"},
					[]string{r.PostForm.Get("client_id"), r.PostForm.Get("client_secret"), r.PostForm.Get("grant_type")})
				fetched++
				return `{"access_token":"tok-` + strconv.Itoa(fetched) + `","expires_in":` + c.expiresIn + `}`
			})})
			require.NoError(t, err)
			get := func() string {
				s, err := f.tokens.get(t.Context())
				require.NoError(t, err)
				return s.Reveal()
			}
			require.Equal(t, "tok-1", get())
			time.Sleep(c.kept)
			require.Equal(t, "tok-1", get())
			time.Sleep(c.replaced - c.kept)
			require.Equal(t, "tok-2", get())
			time.Sleep(time.Hour)
		})
	}
}

func TestToken_WithoutLifetimeIsNotKept(t *testing.T) {
	t.Parallel()
	for _, lifetime := range []string{`0`, `-5`, `999999`, `1.5`, `null`} {
		fetched := 0
		f, err := New(Config{ClientID: "c", ClientSecret: "s", Transport: fake(func(*http.Request) string {
			fetched++
			return `{"access_token":"tok","expires_in":` + lifetime + `}`
		})})
		require.NoError(t, err)
		for range 2 {
			_, err = f.tokens.get(t.Context())
			require.NoError(t, err)
		}
		require.Equal(t, 2, fetched, lifetime)
	}
}
