// Package servicetest makes the fixtures for the tests of service and its columns: one environment, a caller, and a
// record of the effects of commits.
package servicetest

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/contract"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// Dispatched is a db.Dispatcher that records the effects of commits.
type Dispatched struct {
	mu      sync.Mutex
	Effects []db.Effect
	By      []db.Actor
}

// Dispatch implements db.Dispatcher.
func (d *Dispatched) Dispatch(_ context.Context, by db.Actor, effects []db.Effect) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Effects = append(d.Effects, effects...)
	for range effects {
		d.By = append(d.By, by)
	}
}

// Stage is one environment with a caller.
type Stage struct {
	Scene      *scene.Scene
	Base       usecase.Base // its store dispatches to Dispatched, and its clock is the scene's
	Dispatched *Dispatched
	Caller     usecase.Caller
}

// New makes a stage.
func New(t testing.TB) Stage {
	t.Helper()
	s := Stage{Scene: scene.New(t), Dispatched: &Dispatched{}}
	s.Base = usecase.Base{Store: s.Scene.Store.With(s.Dispatched), Now: s.Scene.Clock.Now}
	s.Caller = usecase.Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: s.Scene.Env, Mode: apikey.Test,
		TimeZone: "Africa/Douala",
	}
	return s
}

// Count runs a query that returns one number.
func Count(t testing.TB, s *scene.Scene, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, s.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// Charge performs the due work of a subscription, and sends its charge.
func Charge(t testing.TB, s *scene.Scene, ref contract.Ref) {
	t.Helper()
	snap, err := s.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: ref, Now: s.Clock.Now()})
	require.NoError(t, err)
	_, err = s.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: s.Env, TransactionID: snap.Live.TransactionID, Now: s.Clock.Now(),
	})
	require.NoError(t, err)
}
