package api

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/quota"
)

// listPlans asks a server for something small with a key.
func (b *bench) listPlans(t *testing.T, of *Server, key string) response {
	t.Helper()
	was := b.Server
	defer func() { b.Server = was }()
	b.Server = of
	return b.send(t, "GET", "/api/plans", nil, "Authorization", "Bearer "+key)
}

// A key's limit is that of all processes together: what one granted, another learns by the next report.
func TestKeyRate_IsSharedByProcesses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.config.KeyRate = quota.Limit{PerSecond: 1, Burst: 4}
	first, second := b.newServer(t), b.newServer(t)
	for left := 3; left >= 0; left-- {
		got := b.listPlans(t, first, b.test.key)
		require.Equal(t, http.StatusOK, got.Status)
		require.Equal(t, `"key";q=4;w=4`, got.Header.Get("RateLimit-Policy"))
		require.Contains(t, got.Header.Get("RateLimit"), `"key";r=`+string(rune('0'+left))+`;t=`)
	}
	refused := b.listPlans(t, first, b.test.key)
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", refused)
	require.Equal(t, "1", refused.Header.Get("Retry-After"))
	require.Equal(t, `"key";r=0;t=4`, refused.Header.Get("RateLimit"))
	require.Equal(t, http.StatusOK, b.listPlans(t, first, b.other.key).Status, "another key")
	require.Equal(t, http.StatusUnauthorized, b.listPlans(t, first, "sk_test_x").Status)

	require.NoError(t, first.ShareKeyRequests(t.Context()))
	require.Equal(t, http.StatusOK, b.listPlans(t, second, b.test.key).Status, "it knows nothing yet")
	require.NoError(t, second.ShareKeyRequests(t.Context()))
	problem(t, http.StatusTooManyRequests, "rate_limit_exceeded", "", b.listPlans(t, second, b.test.key))
	require.NoError(t, b.Server.ShareKeyRequests(t.Context()), "a server without a limit has nothing to tell")

	b.base = b.base.Add(10 * time.Second)
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

// When everybody who can be worked for is, others are refused soon, and callbacks are taken still.
func TestOverload_IsRefusedSoonAndWithoutEffect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	b.config.RequestsAtOnce = 1
	b.Server = b.newServer(t)
	release := b.hold(t, "select 1 from subscriptions where id = $1 for update", sub.ID)
	busy := make(chan response, 1)
	go func() {
		busy <- b.serve(b.request(t, "POST", "/api/subscriptions/"+sub.ID+"/cancel", `{}`, "Authorization", "Bearer "+b.test.key))
	}()
	require.Eventually(t, func() bool { return b.waiting(t) == 1 }, 10*time.Second, time.Millisecond)
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
