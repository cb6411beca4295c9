package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// class is a kind of random run.
type class struct {
	name     string
	windows  world.Windows
	cards    []string
	downtime [2]time.Duration // at least, at most
	outages  []string         // of the provider, while the service is killed and restarted
}

func classes() []class {
	return []class{
		{
			name: "short downtime", windows: world.Middle, cards: load.Mixed(load.Broken),
			downtime: [2]time.Duration{0, 2 * time.Second},
		},
		{
			name: "longer than the key window", windows: world.Short, cards: load.Mixed(load.BrokenForLong),
			downtime: [2]time.Duration{world.Short.Provider + time.Second, world.Short.Provider + 3*time.Second},
		},
		{
			name: "the provider breaks too", windows: world.Middle, cards: load.Mixed(load.Broken),
			downtime: [2]time.Duration{0, 2 * time.Second}, outages: []string{"refuse", "500", "429", "hang"},
		},
	}
}

// TestRandomKills kills the service at random times under load, again and again, and sometimes the provider with it.
func TestRandomKills(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	all := classes()
	for run := range testkit.Scale(1, 51) {
		c := all[(int(seed%uint64(len(all)))+run)%len(all)] // a single run is of any class
		t.Run(fmt.Sprintf("%02d %s", run, c.name), func(t *testing.T) {
			t.Parallel()
			randomKills(t, c, seed+uint64(run))
		})
	}
}

func randomKills(t *testing.T, c class, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a test's seed
	between := func(low, high time.Duration) time.Duration {
		return low + time.Duration(random.Int64N(int64(high-low)))
	}
	w := world.New(t, world.Config{Windows: c.windows, Environments: 2})
	w.Service.Start(t)

	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	crowds := make([]*load.Load, len(w.Environments))
	for i, env := range w.Environments {
		crowds[i] = load.New(t, env, seed+uint64(i), c.cards...)
	}
	const kills = 3
	for n := range kills {
		crowds[0].Run(ctx, 5, load.Buyer, load.Payer, load.Traveller)
		crowds[1].Run(ctx, 1, load.Buyer)
		if len(c.outages) > 0 {
			w.Simulator.Outage(t, c.outages[random.IntN(len(c.outages))], between(200*time.Millisecond, 3*time.Second))
		}
		pause(ctx, between(50*time.Millisecond, 2500*time.Millisecond))
		w.Service.Kill(t)
		require.True(t, w.Service.Killed())
		if random.IntN(3) == 0 {
			w.Provider.Kill(t)
			require.True(t, w.Provider.Killed())
			w.Provider.Start(t)
			w.Simulator.Callbacks(t, w.URL+"/callbacks/"+w.Environments[0].ProviderConfigID, w.Environments[0].WebhookSecret)
		}
		pause(ctx, between(c.downtime[0], c.downtime[1]))
		w.Service.Start(t)
		require.Equal(t, n+2, w.Service.Starts())
	}
	for _, crowd := range crowds {
		crowd.Wait(t)
	}
	load.MendCards(t, w)
	for _, env := range w.Environments {
		load.PayAll(t, env, settled)
	}
	check.AtRest(t, w, settled)
	check.Sound(t, w)
	crashedWithOpenCalls := count(t, w,
		"select count(*) from provider_calls where outcome = 'cut_off' or ended_at is null")
	t.Logf("%d customers, %d payments, %d captures; %d exchanges with the provider were cut by a kill",
		count(t, w, "select count(*) from customers"), count(t, w, "select count(*) from transactions"),
		len(w.Simulator.Ledger(t)), crashedWithOpenCalls)
}

// pause waits, or less where the test is over.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func count(t *testing.T, w *world.World, query string) (n int) {
	t.Helper()
	require.NoError(t, w.Pool.QueryRow(t.Context(), query).Scan(&n))
	return n
}
