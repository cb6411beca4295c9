package service

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// dispatched remembers what was left to happen after commits.
type dispatched struct {
	mu      sync.Mutex
	effects []db.Effect
	by      []db.Actor
}

func (d *dispatched) Dispatch(_ context.Context, by db.Actor, effects []db.Effect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.effects = append(d.effects, effects...)
	for range effects {
		d.by = append(d.by, by)
	}
}

// house is a service on one environment.
type house struct {
	*scene.Scene
	*Service
	dispatched dispatched
	caller     Caller
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{Scene: scene.New(t)}
	h.Service = New(h.Store.With(&h.dispatched), h.Clock.Now)
	h.caller = Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: h.Env, Mode: apikey.Test, TimeZone: "Africa/Douala",
	}
	return h
}

// count runs a query that answers one number.
func (h *house) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, h.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}
