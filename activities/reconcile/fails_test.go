package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities/reconcile"
	"perennial/contract"
	"perennial/test/life"
	"perennial/test/scene"
)

// A failing step stops no other step, and the pass does not count as complete.
func TestReconcile_AStepThatFails(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := life.Begin(t, s, scene.Monthly(1000))
	_, err := s.Pool.Exec(t.Context(), "alter table webhook_endpoints rename column started_epoch to another")
	require.NoError(t, err)
	var told *contract.ReconcileResult
	r := &reconcile.Reconciler{Store: s.Worker, Clock: s.Clock.Now, Waker: w,
		Report: func(found contract.ReconcileResult) { told = &found }}
	_, err = r.Reconcile(t.Context())
	require.ErrorContains(t, err, "started_epoch")
	require.Contains(t, w.Did, "start "+l.Ref.ID)
	require.NotNil(t, told)
	require.Positive(t, told.Started)
	b, err := s.Store.Reconcile.Backlog(t.Context(), s.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.Negative(t, b.ReconciledAge, "none has ended")

	_, err = s.Pool.Exec(t.Context(), "alter table webhook_endpoints rename column another to started_epoch")
	require.NoError(t, err)
	w.Pass(t, s)
	b, err = s.Store.Reconcile.Backlog(t.Context(), s.Clock.Now(), time.Minute)
	require.NoError(t, err)
	require.GreaterOrEqual(t, b.ReconciledAge, time.Duration(0))
}
