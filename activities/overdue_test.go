package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/test/life"
	"perennial/test/scene"
)

// leftOwing is a subscription that was canceled when its renewal had been sent, which is due on scene.Start.AddDate(0,
// 1, 8).
func leftOwing(t *testing.T, s *scene.Scene) *life.Life {
	t.Helper()
	l := life.Begin(t, s, scene.Monthly(1000))
	life.Perform(t, s, l.Ref, life.SendInvoices())
	l.Reload()
	l.Until(scene.Start.AddDate(0, 1, 0))
	life.Perform(t, s, l.Ref, lifecycle.Cancel{Immediate: true})
	return l
}

// An open invoice of a canceled subscription is announced as overdue by one pass after its 7 days, once.
func TestReconcile_AnnouncesOverdueAfterTheCancellation(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := leftOwing(t, s)
	due := scene.Start.AddDate(0, 1, 8) // the end of the seventh day, in UTC
	s.Clock.Set(due.Add(-time.Second))
	w.Pass(t, s)
	require.Zero(t, life.Count(t, s, life.CountOverdue, l.Ref.ID))
	s.Clock.Set(due)
	for range 2 {
		w.Pass(t, s)
		require.Equal(t, 1, life.Count(t, s, life.CountOverdue, l.Ref.ID))
	}
	s.RequireSound(t)
}

// Earlier builds announced nothing after a cancellation. Invoices that were due more than a month before this build
// began are left alone.
func TestReconcile_LeavesOldDebtsOfCanceledSubscriptionsAlone(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &life.Waker{}
	l := leftOwing(t, s)
	s.Clock.Set(scene.Start.AddDate(0, 1, 8).Add(30 * 24 * time.Hour))
	w.Pass(t, s)
	require.Zero(t, life.Count(t, s, life.CountOverdue, l.Ref.ID))
}

// A test clock stops at that instant.
func TestStepClock_AnnouncesOverdueAfterTheCancellation(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	ref := w.Add(0)
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 0, 1)))
	w.Steps()
	life.Perform(t, w.Scene, ref, life.SendInvoices())
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 1, 1)))
	w.Steps()
	life.Perform(t, w.Scene, ref, lifecycle.Cancel{Immediate: true})
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 3, 0)))
	w.Steps()
	require.Equal(t, 1, life.Count(t, w.Scene, life.CountOverdue, ref.ID))
	var at time.Time
	require.NoError(
		t, w.Pool.QueryRow(t.Context(), "select overdue_at from invoices where overdue_at is not null").Scan(&at),
	)
	require.True(t, at.Equal(scene.Start.AddDate(0, 1, 8)), at)
	w.RequireSound(t)
}
