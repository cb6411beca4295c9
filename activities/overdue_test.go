package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/terms"
	"perennial/contract"
	"perennial/db"
	"perennial/service"
	"perennial/test/scene"
)

const overdues = "select count(*) from events where type = 'invoice.overdue' and subscription_id = $1"

// ordered performs a command on a subscription whose workflow nobody plays.
func ordered(t testing.TB, s *scene.Scene, ref contract.Ref, cmd lifecycle.Command) {
	t.Helper()
	quiet := s.Store.With(&scene.Effects{})
	require.NoError(t, quiet.InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), func(tx *db.Tx) error {
		_, err := service.Command(t.Context(), tx, s.Env, ref.ID, cmd)
		return err
	}))
}

// sent has invoices sent, to be paid within 7 days.
func sent() lifecycle.Command {
	send, days := terms.Send, 7
	return lifecycle.SetTerms{Method: &send, NetDays: &days}
}

// leftOwing is a subscription that was canceled when its renewal had been sent, which is due on scene.Start.AddDate(0, 1, 8).
func leftOwing(t *testing.T, s *scene.Scene) *life {
	t.Helper()
	l := begin(t, s, scene.Monthly(1000))
	ordered(t, s, l.ref, sent())
	l.reload()
	l.until(scene.Start.AddDate(0, 1, 0))
	ordered(t, s, l.ref, lifecycle.Cancel{Immediate: true})
	return l
}

// What a canceled subscription left open is announced as overdue by one pass after its 7 days, once.
func TestReconcile_AnnouncesOverdueAfterTheCancellation(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := leftOwing(t, s)
	due := scene.Start.AddDate(0, 1, 8) // the end of the seventh day, in UTC
	s.Clock.Set(due.Add(-time.Second))
	w.pass(t, s)
	require.Zero(t, counted(t, s, overdues, l.ref.ID))
	s.Clock.Set(due)
	for range 2 {
		w.pass(t, s)
		require.Equal(t, 1, counted(t, s, overdues, l.ref.ID))
	}
	s.RequireSound(t)
}

// A build from before announced nothing after a cancellation: what was due more than a month ago when this one began is left
// alone.
func TestReconcile_LeavesOldDebtsOfCanceledSubscriptionsAlone(t *testing.T) {
	t.Parallel()
	s, w := scene.New(t), &woken{}
	l := leftOwing(t, s)
	s.Clock.Set(scene.Start.AddDate(0, 1, 8).Add(30 * 24 * time.Hour))
	w.pass(t, s)
	require.Zero(t, counted(t, s, overdues, l.ref.ID))
}

// A test clock stops at that instant.
func TestStepClock_AnnouncesOverdueAfterTheCancellation(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	ref := w.subscribe(0)
	require.NoError(t, w.begin(scene.Start.AddDate(0, 0, 1)))
	w.steps()
	ordered(t, w.Scene, ref, sent())
	require.NoError(t, w.begin(scene.Start.AddDate(0, 1, 1)))
	w.steps()
	ordered(t, w.Scene, ref, lifecycle.Cancel{Immediate: true})
	require.NoError(t, w.begin(scene.Start.AddDate(0, 3, 0)))
	w.steps()
	require.Equal(t, 1, counted(t, w.Scene, overdues, ref.ID))
	var at time.Time
	require.NoError(t, w.Pool.QueryRow(t.Context(), "select overdue_at from invoices where overdue_at is not null").Scan(&at))
	require.True(t, at.Equal(scene.Start.AddDate(0, 1, 8)), at)
	w.RequireSound(t)
}
