package e2e

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/internal/testkit"
	"perennial/internal/testkit/rule"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// keyedDoor is a proxy of the simulator that accepts only an account's present key. Behind it all keys are one account,
// as they are at the provider: an idempotency key is known under another secret key too.
type keyedDoor struct {
	*httptest.Server
	mu      sync.Mutex
	present string
	proxy   *httputil.ReverseProxy
	refused atomic.Int64
}

func newKeyedDoor(t *testing.T, present string) *keyedDoor {
	d := &keyedDoor{present: present}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		taken, proxy := r.Header.Get("Authorization") == "Bearer "+d.present, d.proxy
		d.mu.Unlock()
		if !taken {
			d.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error","message":"Invalid API Key provided"}}`))
			return
		}
		r.Header.Set("Authorization", "Bearer sk_test_account")
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Close)
	return d
}

// leadTo sets the simulator's address.
func (d *keyedDoor) leadTo(t *testing.T, to string) {
	target, err := url.Parse(to)
	require.NoError(t, err)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.proxy = httputil.NewSingleHostReverseProxy(target)
}

// roll makes another key the present one: the earlier one is refused from now on.
func (d *keyedDoor) roll(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.present = key
}

// TestKeyRolledInTheMiddleOfCharges: the provider revokes the secret key during charges, and the new one is stored
// seconds later. A refused key is no failed payment: each is captured once, none is lost, and the books match the
// provider's ledger.
func TestKeyRolledInTheMiddleOfCharges(t *testing.T) {
	t.Parallel()
	const former, present = "sk_test_canarysecret0", "sk_test_canaryrolled"
	n := testkit.Scale(40, 200)
	door := newKeyedDoor(t, former)
	w := world.New(t, world.Config{Env: []string{"STRIPE_API_URL=" + door.URL}})
	door.leadTo(t, w.Simulator.URL())
	w.Secrets["provider's rolled secret key"] = present
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	customer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)

	charges := make([]string, n)
	var made atomic.Int64
	var all errgroup.Group
	all.SetLimit(4)
	for i := range charges {
		all.Go(func() (err error) {
			charges[i], err = env.Create(ctx, "/api/payments",
				world.Object{"customerId": customer, "amount": 1000 + i, "currency": "EUR"})
			switch made.Add(1) {
			case int64(n / 3):
				door.roll(present)
			case int64(2 * n / 3):
				for door.refused.Load() == 0 { // some charges met the revoked key
					time.Sleep(10 * time.Millisecond)
				}
				_, err := env.Change(ctx, http.MethodPatch, "/api/payment-providers/"+env.ProviderConfigID,
					world.Object{"secretKey": present})
				require.NoError(t, err)
			}
			return err
		})
	}
	require.NoError(t, all.Wait())

	check.AtRest(t, w, settled)
	check.Sound(t, w)
	for _, id := range charges {
		var p struct{ Status string }
		require.NoError(t, env.Get(ctx, "/api/payments/"+id, &p))
		require.Equal(t, "success", p.Status, id)
	}
	captured := map[string]int{}
	for _, m := range w.Simulator.Ledger(t) {
		if m.Kind == "capture" {
			captured[m.TransactionID]++
		}
	}
	require.Len(t, captured, n)
	rule.Holds(t, func() {
		for id, times := range captured {
			require.Equal(t, 1, times, id)
		}
	})
	var failed int
	require.NoError(t, w.Pool.QueryRow(ctx, "select count(*) from events where type = 'payment.failed'").Scan(&failed))
	require.Zero(t, failed)
	t.Logf("%d charges, %d requests met the revoked key", n, door.refused.Load())
}
