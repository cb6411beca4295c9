package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
	"perennial/service/clocks"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestStepClock_EveryDueInstantInOrder(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	paying, trialing := w.Add(0).ID, w.Add(10).ID
	target := scene.Start.AddDate(0, 2, 0)
	require.NoError(t, w.Begin(target))
	step, _ := w.Steps()
	require.Equal(t, target, step.Now)
	on := func(sub string, at time.Time) string { return sub + " " + at.Format(time.DateOnly) }
	month := scene.Start.AddDate(0, 1, 0)
	require.Equal(t, []string{
		on(paying, scene.Start), on(trialing, scene.Start.AddDate(0, 0, 7)), on(trialing, scene.Start.AddDate(0, 0, 10)),
		on(paying, month), on(trialing, month.AddDate(0, 0, 10)),
		on(paying, target),
	}, w.Wakes)
	for range 2 { // a repeat finds it done
		again, err := w.Clocks.StepClock(t.Context(), w.Ref)
		require.NoError(t, err)
		require.Equal(t, step, again)
	}
	require.Equal(t, testclock.Ready, w.TestClock().Status)
	require.Equal(t, target, w.TestClock().NowAt)
	var announced int
	require.NoError(t, w.Pool.QueryRow(t.Context(),
		"select count(*) from events where type = 'test_clock.advanced'").Scan(&announced))
	require.Equal(t, 1, announced)
	w.RequireSound(t)
}

// The step that arrives was performed, and its result lost. Its repeat comes when the next advance has begun.
func TestStepClock_RepeatLeavesTheNextAdvanceItsTarget(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	w.Add(0)
	near, far := scene.Start.AddDate(0, 0, 1), scene.Start.AddDate(0, 2, 0)
	require.NoError(t, w.Begin(near))
	step, _ := w.Steps()
	require.Equal(t, near, step.Now)
	require.Equal(t, testclock.Ready, w.TestClock().Status)
	require.NoError(t, w.Begin(far))
	again, err := w.Clocks.StepClock(t.Context(), w.Ref)
	require.NoError(t, err)
	require.False(t, again.Done)
	require.Equal(t, testclock.Advancing, w.TestClock().Status)
	require.Equal(t, far, w.TestClock().TargetAt)
	step, _ = w.Steps()
	require.Equal(t, far, step.Now)
	w.RequireSound(t)
}

func TestStepClock_BlockedByPendingPayment(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	sub := w.Add(0)
	w.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 3, 0)))
	step, _ := w.Steps()
	require.Len(t, step.BlockedBy, 1)
	require.Equal(t, scene.Start, w.TestClock().NowAt, "time stands still until it is decided")
	require.Equal(t, step.BlockedBy, w.TestClock().BlockedBy)

	w.Provider.Script = nil
	w.Provider.Settle(step.BlockedBy[0], providers.Succeeded)
	_, err := w.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: w.Env, TransactionID: step.BlockedBy[0], Now: scene.Start, Asked: true,
	})
	require.NoError(t, err)
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 3, 0)))
	_, n := w.Steps()
	require.Positive(t, n)
	require.Empty(t, w.TestClock().BlockedBy)
	s, err := w.Store.Subscriptions.Get(t.Context(), w.Env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, scene.Start.AddDate(0, 4, 0), s.PaidThrough)
	w.RequireSound(t)
}

// The database has performed the due work, so that the repeat of a step whose signal did not arrive finds the payment
// and waits for it.
func TestStepClock_SignalFails(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	sub := w.Add(0)
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 1, 0)))
	w.Asleep = true
	_, err := w.Clocks.StepClock(t.Context(), w.Ref)
	require.NoError(t, err, "signals are best effort")
	require.Equal(t, scene.Start, w.TestClock().NowAt)
	w.Asleep = false
	step, err := w.Clocks.StepClock(t.Context(), w.Ref)
	require.NoError(t, err)
	require.Len(t, step.BlockedBy, 1, "the payment that the lost signal was about")
	require.Equal(t, scene.Start, w.TestClock().NowAt)

	require.NoError(t, w.Follow(t.Context(), sub)) // the reconciler's signal
	step, _ = w.Steps()
	require.True(t, step.Done)
	w.RequireSound(t)
}

// A step performs the due work itself and leaves the mark of the wake-up for the reconciler, until a workflow acts.
func TestStepClock_WorkflowDoesNotAct(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	sub := w.Add(0)
	w.Asleep = true
	require.NoError(t, w.Begin(scene.Start.AddDate(0, 1, 0)))
	step, _ := w.Steps()
	require.Len(t, step.BlockedBy, 1)
	pending := func() []db.Ref {
		refs, err := w.Store.Reconcile.WakePendingBefore(t.Context(), time.Now().Add(time.Minute), 10)
		require.NoError(t, err)
		return refs
	}
	require.Equal(t, []db.Ref{{EnvironmentID: w.Env, ID: sub.ID}}, pending())
	require.NoError(t, w.Follow(t.Context(), sub))
	require.Empty(t, pending())
	w.RequireSound(t)
}

func TestAdvanceClock_Refusals(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	target := scene.Start.AddDate(0, 1, 0)
	require.Equal(t, "test_clock_backwards", fault.From(w.Begin(scene.Start)).Code)
	require.Equal(t, testclock.Ready, w.TestClock().Status)
	require.NoError(t, w.Begin(target))
	require.NoError(t, w.Begin(target), "the same again")
	later := fault.From(w.Begin(target.Add(time.Hour)))
	require.Equal(t, "test_clock_advancing", later.Code)
	require.Positive(t, later.RetryAfter)
	require.Equal(t, target, w.TestClock().TargetAt)

	_, _ = w.Steps()
	require.Equal(t, "test_clock_backwards", fault.From(w.Begin(target)).Code, "it is there already")
	require.Equal(t, testclock.Ready, w.TestClock().Status)
	require.Equal(t, "test_clock_not_found", fault.From(w.Store.InTx(t.Context(), db.BySystem("test"), w.Clock.Now(),
		func(tx *db.Tx) error {
			_, err := clocks.AdvanceClock(t.Context(), tx, w.Env, "clk_absent", target)
			return err
		})).Code)
}

// A signal that a later advance sends must find no clock that is ready: a step of it moves nothing.
func TestStepClock_ReadyClockStays(t *testing.T) {
	t.Parallel()
	w := life.NewClockwork(t)
	w.Add(0)
	for range 2 {
		_, err := w.Clocks.StepClock(t.Context(), w.Ref)
		require.NoError(t, err)
		require.Equal(t, scene.Start, w.TestClock().NowAt)
		require.Equal(t, testclock.Ready, w.TestClock().Status)
	}
}
