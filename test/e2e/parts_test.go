package e2e

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/devstack"
	"perennial/test/e2e/world"
)

// part is one of the processes that an installation consists of.
type part struct {
	name    string
	kill    func()
	restart func()
}

// everyPart are the API, the worker, PostgreSQL and Temporal.
func everyPart(
	t *testing.T, w *world.World, worker *world.Program, database *devstack.Postgres, engine *devstack.Temporal,
) []part {
	return []part{
		{"API", func() { w.Service.Kill(t) }, func() { w.Service.Start(t) }},
		{"worker", func() { worker.Kill(t) }, func() { worker.Start(t) }},
		{
			"PostgreSQL", func() { require.NoError(t, database.Kill()) },
			func() { require.NoError(t, database.Restart(t.Context())) },
		},
		{
			"Temporal", func() { require.NoError(t, engine.Kill()) },
			func() { require.NoError(t, engine.Restart(t.Context())) },
		},
	}
}

// killInTurn kills parts in a random order, so many times in all: each within some milliseconds after before has let
// something happen. It is started again within two seconds.
func killInTurn(
	ctx context.Context, t *testing.T, parts []part, random *rand.Rand, kills, within int, before func(n int),
) {
	t.Helper()
	for n := range kills {
		if n%len(parts) == 0 {
			random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		}
		before(n)
		pause(ctx, time.Duration(50+random.IntN(within))*time.Millisecond)
		victim := parts[n%len(parts)]
		t.Logf("kill %s", victim.name)
		victim.kill()
		pause(ctx, time.Duration(random.IntN(2000))*time.Millisecond)
		victim.restart()
	}
}
