package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestPostgresIsKilledUnderLoad: while the database is away the API says so in time, and nothing acknowledged is lost.
func TestPostgresIsKilledUnderLoad(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	server := postgres(t)
	w := world.New(t, world.Config{Postgres: server})
	underOutages(t, w, seed, outage{
		kill: server.Kill, restart: func() error { return server.Restart(t.Context()) },
		during: func(ctx context.Context, env *world.Environment) {
			a, err := env.Try(ctx, http.MethodPost, "/api/plans", world.Key(), monthly(900))
			require.NoError(t, err)
			requireUnavailable(t, a)
			a, err = env.Try(ctx, http.MethodGet, "/api/plans", "", nil)
			require.NoError(t, err)
			requireUnavailable(t, a)
		},
	})
}

// TestTemporalIsKilledUnderLoad: without the engine, creations, commands and reads continue, and everything
// acknowledged happens afterwards.
func TestTemporalIsKilledUnderLoad(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	server := temporal(t)
	w := world.New(t, world.Config{Temporal: server})
	var customer, subscribed string
	underOutages(t, w, seed, outage{
		kill: server.Kill, restart: func() error { return server.Restart(t.Context()) },
		during: func(ctx context.Context, env *world.Environment) {
			a, err := env.Try(ctx, http.MethodPost, "/api/plans", world.Key(), monthly(900))
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.Status, "%s", a)
			made := a.ID()
			if customer == "" {
				a, err = env.Try(ctx, http.MethodPost, "/api/customers", world.Key(), card("pm_card_visa"))
				require.NoError(t, err)
				require.Equal(t, http.StatusCreated, a.Status, "%s", a)
				customer = a.ID()
			}
			a, err = env.Try(ctx, http.MethodPost, "/api/subscriptions", world.Key(),
				world.Object{"customerId": customer, "planId": made})
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, a.Status, "%s", a)
			require.Less(t, a.Took, 10*time.Second)
			subscribed = a.ID()
			a, err = env.Try(ctx, http.MethodPost, "/api/subscriptions/"+subscribed+"/cancel", world.Key(), world.Object{})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, a.Status, "%s", a)
			require.Less(t, a.Took, 10*time.Second)
		},
	})
	var now struct {
		PaidThrough int64 `json:"paidThrough"`
	}
	require.NoError(t, w.Environments[0].Get(t.Context(), "/api/subscriptions/"+subscribed, &now))
	require.NotZero(t, now.PaidThrough, "what was created while the engine was away is started and paid")
}

// outage is a server that is killed and comes back.
type outage struct {
	kill    func() error
	restart func() error
	during  func(ctx context.Context, env *world.Environment)
}

func underOutages(t *testing.T, w *world.World, seed uint64, o outage) {
	t.Helper()
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	crowd := load.New(t, env, seed, load.Mixed([]string{"pm_sim_slow_800", "pm_sim_pending_1s_succeed"})...)
	for range testkit.Scale(2, 6) {
		crowd.Run(ctx, testkit.Scale(6, 20), load.Buyer, load.Payer, load.Traveller)
		pause(ctx, time.Second)
		require.NoError(t, o.kill())
		o.during(ctx, env)
		pause(ctx, 2*time.Second)
		require.NoError(t, o.restart())
		pause(ctx, 2*time.Second)
	}
	crowd.Wait(t)
	require.True(t, w.Service.Running(), "the service lives through the outage of others")
	require.Equal(t, 1, w.Service.Starts())
	load.MendCards(t, w)
	load.PayAll(t, env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

// requireUnavailable: the answer says within ten seconds that it is worth coming back, and when.
func requireUnavailable(t *testing.T, a world.Answer) {
	t.Helper()
	require.Equal(t, http.StatusServiceUnavailable, a.Status, "%s", a)
	require.NotEmpty(t, a.Header.Get("Retry-After"), "%s", a)
	require.Less(t, a.Took, 10*time.Second+2*time.Second, "%s", a) // two seconds for a busy machine
}

func postgres(t *testing.T) *devstack.Postgres {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "postgres")
	p, err := devstack.StartPostgres(t.Context(), devstack.PostgresConfig{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, p.Stop(context.WithoutCancel(t.Context())))
		require.NoError(t, devstack.Remove(dir))
	})
	return p
}

func temporal(t *testing.T) *devstack.Temporal {
	t.Helper()
	s, err := devstack.StartTemporal(t.Context(), devstack.TemporalConfig{
		Dir: filepath.Join(t.TempDir(), "temporal"), Headless: true,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.WithoutCancel(t.Context()))) })
	return s
}

// monthly is a plan that costs amount a month.
func monthly(amount int) world.Object {
	return world.Object{"name": "Plan", "currency": "EUR", "interval": "month", "amount": amount}
}

// card is a customer who pays with it.
func card(token string) world.Object {
	return world.Object{
		"email": load.Canary + "@example.com", "name": load.Canary, "paymentMethod": "card",
		"paymentDetails": world.Object{
			"provider": "stripe", "customerToken": "cus_" + load.Canary, "paymentMethodToken": token,
		},
	}
}
