package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/receiver"
	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// TestWebhooks_KillsLoseNoEvent kills API and worker, PostgreSQL and Temporal at random times, while events go to
// receivers of which some fail, hang up or are slow: every event arrives, or has failed with four attempts in the log.
func TestWebhooks_KillsLoseNoEvent(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // a test's seed
	database, engine := postgres(t), temporal(t)
	w := world.New(t, world.Config{Postgres: database, Temporal: engine, Env: world.AllowLocalReceivers})
	env, inbox := w.Environments[0], receiver.New(t)
	for i := range testkit.Scale(5, 20) {
		path := fmt.Sprintf("/%d", i)
		w.Endpoint(t, env, inbox.Endpoint(path, temper(i)...))
	}
	w.Service.Start(t)

	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(testkit.Scale(1, 12))*settled)
	defer cancel()
	var writers sync.WaitGroup
	events := testkit.Scale(60, 5_000)
	for i := range 4 {
		writers.Go(func() {
			for n := i; n < events && ctx.Err() == nil; n += 4 {
				if _, err := env.Create(ctx, "/api/plans", monthly(n+1)); err != nil {
					t.Errorf("create: %v", err)
				}
			}
		})
	}
	written := make(chan struct{})
	go func() { writers.Wait(); close(written) }()
	kills, began := 0, time.Now()
	for under := true; under || kills < testkit.Scale(3, 60); { // deliveries continue longer than the writers
		pause(ctx, 500*time.Millisecond+time.Duration(random.Int64N(int64(2500*time.Millisecond))))
		kills++
		switch (kills + random.IntN(2)) % 3 {
		case 0:
			require.NoError(t, database.Kill())
			pause(ctx, time.Second)
			require.NoError(t, database.Restart(ctx))
		case 1:
			w.Service.Kill(t)
			w.Service.Start(t)
		default:
			require.NoError(t, engine.Kill())
			pause(ctx, time.Second)
			require.NoError(t, engine.Restart(ctx))
		}
		select {
		case <-written:
			under = false
		default:
		}
	}
	<-written
	t.Logf("%d kills in %s", kills, time.Since(began).Round(time.Second))
	check.Webhooks(t, w, inbox, time.Duration(testkit.Scale(1, 6))*settled)
	require.GreaterOrEqual(t, count(t, w, "select count(*) from events"), events)
	t.Logf("everything was decided after %s", time.Since(began).Round(time.Second))
}

// temper returns the behaviour of the i-th receiver.
func temper(i int) []receiver.Step {
	ok, bad := receiver.Status(200), receiver.Status(500)
	switch i % 5 {
	case 1:
		return []receiver.Step{bad, receiver.Reset(), bad, ok}
	case 2:
		return []receiver.Step{ok, receiver.Hang(1500 * time.Millisecond), ok, ok}
	case 3:
		return []receiver.Step{receiver.Hang(30 * time.Millisecond)}
	case 4:
		return []receiver.Step{bad}
	}
	return nil
}
