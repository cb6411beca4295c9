package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/internal/quota"
	"perennial/internal/testkit/wait"
)

// listPlans asks a server for something small with a key.
func (b *bench) listPlans(t *testing.T, of *Server, key string) response {
	t.Helper()
	was := b.Server
	defer func() { b.Server = was }()
	b.Server = of
	return b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+key)
}

// A key's limit applies to all processes together: requests that one granted reach another with the next report.
func TestKeyRate_IsSharedByProcesses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const burst = 40 // takes the database's clock longer to fill than the test
	b.config.KeyRate = quota.Limit{PerSecond: 1, Burst: burst}
	first, second := b.newServer(t), b.newServer(t)
	for left := burst - 1; left >= 0; left-- {
		got := b.listPlans(t, first, b.test.key)
		require.Equal(t, http.StatusOK, got.Status)
		require.Equal(t, `"key";q=40;w=40`, got.Header.Get("RateLimit-Policy"))
		require.Contains(t, got.Header.Get("RateLimit"), fmt.Sprintf(`"key";r=%d;t=`, left))
	}
	refused := b.listPlans(t, first, b.test.key)
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", refused)
	require.Equal(t, "1", refused.Header.Get("Retry-After"))
	require.Equal(t, `"key";r=0;t=1`, refused.Header.Get("RateLimit"))
	// without a look at the key
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", b.listPlans(t, first, b.test.key))
	require.Equal(t, http.StatusOK, b.listPlans(t, first, b.other.key).Status, "another key")
	require.Equal(t, http.StatusUnauthorized, b.listPlans(t, first, "sk_test_x").Status)

	require.NoError(t, first.ShareKeyRequests(t.Context()))
	for range burst / 2 {
		require.Equal(t, http.StatusOK, b.listPlans(t, second, b.test.key).Status, "it knows nothing yet")
	}
	require.NoError(t, second.ShareKeyRequests(t.Context()))
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", b.listPlans(t, second, b.test.key))
	require.NoError(t, b.Server.ShareKeyRequests(t.Context()), "a server without a limit has nothing to tell")

	b.base = b.base.Add(time.Minute)
	require.Equal(t, http.StatusOK, b.listPlans(t, second, b.test.key).Status, "time passed")
}

// A request beyond the limit is not performed, whatever it asks.
func TestKeyRate_RefusesBeforeAnythingIsDone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.KeyRate = quota.Limit{PerSecond: 1, Burst: 1}
	b.Server = b.newServer(t)
	create := func() response {
		return b.ask(t, b.test, "POST", "/api/products", `{"name":"Pro"}`, "Idempotency-Key", "k")
	}
	b.ask(t, b.test, "GET", "/api/plans", nil)
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", create())
	require.Zero(t, b.count(t, "select count(*) from products"))
	b.base = b.base.Add(time.Second)
	made := create()
	require.Equal(t, http.StatusCreated, made.Status)
	require.Empty(t, made.Header.Get("Idempotent-Replayed"), "a refusal for a moment is not stored")
}

// A request counts whatever its result, and each visitor of a web page has a separate bucket.
func TestKeyRate_CountsRefusalsAndVisitors(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	public := b.newKey(t, b.test, db.NewAPIKey{Kind: string(apikey.Publishable)})
	b.config.KeyRate = quota.Limit{PerSecond: 1, Burst: 2}
	b.Server = b.newServer(t)
	problem(t, http.StatusNotFound, "customer_not_found", "",
		b.ask(t, b.test, "GET", "/api/customers/"+id.New(id.Customer, b.base), nil))
	problem(t, http.StatusNotFound, "customer_not_found", "",
		b.ask(t, b.test, "GET", "/api/customers/"+id.New(id.Customer, b.base), nil))
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", b.ask(t, b.test, "GET", "/api/plans", nil))
	from := func(address string) int {
		r := b.request(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+public)
		r.RemoteAddr = address + ":1"
		return b.serve(r).Status
	}
	for range 2 {
		require.Equal(t, http.StatusOK, from("192.0.2.1"))
	}
	require.Equal(t, http.StatusTooManyRequests, from("192.0.2.1"))
	require.Equal(t, http.StatusOK, from("192.0.2.2"))
	require.NoError(t, b.ShareKeyRequests(t.Context()))
	require.Equal(t, 1, b.count(t, "select count(*) from api_key_buckets"), "addresses stay in the process")
}

// Seats come back however a request ends, and who merely waits has none.
func TestOverload_SeatsComeBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.config.RequestsAtOnce = 2
	b.Server = b.newServer(t)
	for range 2 {
		for _, c := range []struct{ method, path, body string }{
			{"GET", "/api/plans", ""}, {"GET", "/api/plans?limit=0", ""}, {"GET", "/api/customers/x", ""},
			{"POST", "/api/customers", `{`},
			{"POST", "/api/customers", `{"email":1}`}, {"PATCH", "/api/subscriptions/" + sub.ID, `{"metadata":{"a":"b"}}`},
		} {
			got := b.ask(t, b.test, c.method, c.path, c.body, "Idempotency-Key", c.path)
			require.NotEqual(t, http.StatusServiceUnavailable, got.Status, "%s", got.Body)
		}
		aborted := make(chan any, 1)
		r := b.request(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+b.test.key)
		go func() {
			defer func() { aborted <- recover() }()
			b.Handler().ServeHTTP(&aborting{httptest.NewRecorder()}, r)
		}()
		require.NotNil(t, <-aborted)
	}
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	answers := make(chan response, 5)
	for range cap(answers) { // one is worked for, the others wait for its answer
		r := b.request(t, "POST", "/api/subscriptions/"+sub.ID+"/cancel", `{}`,
			"Authorization", "Bearer "+b.test.key, "Idempotency-Key", "k")
		go func() { answers <- b.serve(r) }()
		require.Eventually(t, func() bool { return b.waiting(t) == 1 }, wait.Patience, time.Millisecond)
	}
	require.Equal(t, http.StatusOK, b.ask(t, b.test, "GET", "/api/plans", nil).Status)
	release()
	for range cap(answers) {
		got := <-answers
		require.Equal(t, http.StatusOK, got.Status, "%s", got.Body)
	}
}

// aborting is a connection that breaks when an answer is written.
type aborting struct{ *httptest.ResponseRecorder }

func (a *aborting) Write([]byte) (int, error) { panic(http.ErrAbortHandler) }

// When all seats are taken, further requests are refused soon, and callbacks are still taken.
func TestOverload_IsRefusedSoonAndWithoutEffect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.config.RequestsAtOnce = 1
	b.Server = b.newServer(t)
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	busy := make(chan response, 1)
	r := b.request(t, "POST", "/api/subscriptions/"+sub.ID+"/cancel", `{}`, "Authorization", "Bearer "+b.test.key)
	go func() { busy <- b.serve(r) }()
	require.Eventually(t, func() bool { return b.waiting(t) == 1 }, wait.Patience, time.Millisecond)
	began := time.Now()
	refused := b.ask(t, b.test, "GET", "/api/plans", nil)
	problem(t, http.StatusServiceUnavailable, "overloaded", "", refused)
	require.Equal(t, "1", refused.Header.Get("Retry-After"))
	require.Less(t, time.Since(began), 5*time.Second)
	callback := b.send(t, "POST", "/callbacks/stripe/"+b.test.providerID, `{}`)
	require.NotEqual(t, http.StatusServiceUnavailable, callback.Status, "%s", callback.Body)
	release()
	require.Equal(t, http.StatusOK, (<-busy).Status)
	require.Equal(t, http.StatusOK, b.ask(t, b.test, "GET", "/api/plans", nil).Status)
}
