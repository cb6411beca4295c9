package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/test/e2e/world"
)

// meter is a proxy of a simulated provider that records the times of requests.
type meter struct {
	*httptest.Server
	mu    sync.Mutex
	proxy *httputil.ReverseProxy
	came  []time.Time
}

func newMeter(t *testing.T) *meter {
	m := &meter{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		if !strings.HasSuffix(r.URL.Path, "/token") { // of the identity server, which has limits of its own
			m.came = append(m.came, time.Now())
		}
		proxy := m.proxy
		m.mu.Unlock()
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// leadTo sets the simulator's address.
func (m *meter) leadTo(t *testing.T, to string) {
	target, err := url.Parse(to)
	require.NoError(t, err)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.proxy = httputil.NewSingleHostReverseProxy(target)
}

// most is the greatest number of requests within any one second.
func (m *meter) most() (most int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	first := 0
	for last, at := range m.came {
		for at.Sub(m.came[first]) >= time.Second {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// TestPendingWallets_PolledWithinBounds: payments whose payers let them wait, at two providers, are polled within each
// account's limit of requests and within a gibibyte, and all are settled once the payers confirm, though no callback
// says so.
func TestPendingWallets_PolledWithinBounds(t *testing.T) {
	t.Parallel()
	n := testkit.Scale(50, 10_000) // of each provider
	const limit = 10               // low enough to bind before two processors do
	const memory = 1 << 30
	names := []string{"pawapay", "flutterwave"}
	doors := map[string]*meter{}
	settings := []string{"WORKER_POLLERS=16"} // one worker then takes payments in as fast as the accounts allow
	for _, name := range names {
		doors[name] = newMeter(t)
		settings = append(settings, strings.ToUpper(name)+"_API_URL="+doors[name].URL)
	}
	w := world.New(t, world.Config{Environments: len(names), Env: settings})
	for name, door := range doors {
		door.leadTo(t, w.Simulator.Of(name).URL())
	}
	w.Service.Start(t)
	// The last look at a payment can come an hour after the one before.
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(testkit.Scale(5, 240))*time.Minute)
	defer cancel()
	peak := int64(0)
	reach := func(what string, want int, query string) {
		t.Helper()
		for got := -1; got != want; {
			pause(ctx, time.Second)
			require.NoError(t, ctx.Err(), "%d of %d payments are %s", got, want, what)
			got, peak = count(t, w, query), max(peak, w.Service.Memory(t))
		}
	}

	envs, payers := make([]*wallets, len(names)), make([][]string, len(names))
	for i, name := range names {
		env := &wallets{Environment: w.Environments[i], t: t, ctx: ctx}
		id := env.accounts(name)[0]
		_, err := env.Change(ctx, http.MethodPatch, "/api/payment-providers/"+id, world.Object{"maxRequestsPerSecond": limit})
		require.NoError(t, err)
		envs[i], payers[i] = env, env.payers(min(n, 100), "129")
	}
	envs[0].each(n*len(names), func(i int) error {
		env, of := envs[i%len(names)], payers[i%len(names)]
		_, err := env.Create(ctx, "/api/payments",
			world.Object{"customerId": of[i%len(of)], "amount": 1000 + i, "currency": "GHS"})
		return err
	})
	const accepted = "select count(*) from transactions where status = 'pending' and provider_ref is not null"
	reach("accepted", n*len(names), accepted)
	waiting := time.Now()
	for _, name := range names {
		for _, m := range captures(t, w, "select provider_ref, amount from transactions where provider = $1", name) {
			w.Simulator.Of(name).Settle(t, m.ref, "succeeded")
		}
	}
	reach("settled", n*len(names), "select count(*) from transactions where status = 'success'")

	for _, name := range names {
		var moved []capture
		for _, m := range w.Simulator.Of(name).Ledger(t) {
			require.Equal(t, "capture", m.Kind)
			moved = append(moved, capture{m.Charge, m.Amount})
		}
		booked := captures(t, w, "select provider_ref, amount from transactions where provider = $1", name)
		rule.Holds(t, func() { require.ElementsMatch(t, booked, moved, "the books are the ledger of %s", name) })
		most := doors[name].most()
		t.Logf("%s: %d payments, at most %d requests in a second of %d", name, n, most, limit)
		require.LessOrEqual(t, most, limit*5/4+1, "a tenth may come at once") // the rest is a busy machine's
	}
	t.Logf("settled %s after the payers confirmed; the service had %d MiB at most",
		time.Since(waiting).Round(time.Second), peak>>20)
	require.Less(t, peak, int64(memory))
}

// capture is money that a provider took.
type capture struct {
	ref    string
	amount int64
}

func captures(t *testing.T, w *world.World, query string, args ...any) (all []capture) {
	t.Helper()
	rows, err := w.Pool.Query(t.Context(), query, args...)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var c capture
		require.NoError(t, rows.Scan(&c.ref, &c.amount))
		all = append(all, c)
	}
	require.NoError(t, rows.Err())
	return all
}
