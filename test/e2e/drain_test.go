package e2e

import (
	"context"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/test/e2e/check"
	"perennial/test/e2e/load"
	"perennial/test/e2e/world"
)

// TestDrainUnderLoad: a process that is asked to stop first reports that it is not ready, finishes its work, and ends
// with exit code 0.
func TestDrainUnderLoad(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	w := world.New(t, world.Config{Env: []string{"API_DRAIN_DELAY=2s"}})
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	crowd := load.New(t, env, seed, "pm_card_visa", "pm_sim_slow_800")
	for range testkit.Scale(2, 10) {
		crowd.Run(ctx, 8, load.Buyer, load.Payer, load.Traveller)
		pause(ctx, time.Second)
		drain(ctx, t, w, env)
		w.Service.Start(t)
	}
	crowd.Wait(t)
	load.PayAll(t, env, settled)
	check.AtRest(t, w, settled)
	check.Sound(t, w)
}

func drain(ctx context.Context, t *testing.T, w *world.World, env *world.Environment) {
	t.Helper()
	w.Service.Signal(t, syscall.SIGTERM)
	var refusedEarly, answered atomic.Int64
	saidNo := false
	for w.Service.Running() {
		ready, err := env.Try(ctx, http.MethodGet, "/readyz", "", nil)
		switch {
		case err != nil && !saidNo:
			refusedEarly.Add(1) // the listener was closed before readiness failed
		case err != nil: // closed, as announced
		case ready.Status == http.StatusServiceUnavailable && !saidNo:
			saidNo = true
			a, err := env.Try(ctx, http.MethodGet, "/api/plans", "", nil)
			require.NoError(t, err, "between readyz's no and the end of the delay requests are still answered")
			require.Equal(t, http.StatusOK, a.Status)
			answered.Add(1)
		}
		pause(ctx, 20*time.Millisecond)
		require.NoError(t, ctx.Err(), "the service does not end")
	}
	require.True(t, saidNo, "readyz says no before the end")
	require.Zero(t, refusedEarly.Load())
	require.Positive(t, answered.Load())
	require.Zero(t, w.Service.ExitCode(), "it ends well")
}
