package activities_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/fault"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/service"
	"perennial/test/scene"
)

// clockwork is a test clock whose subscriptions are driven by hand instead of by workflows: it gets the signals that
// the clock's steps send.
type clockwork struct {
	*scene.Scene
	t      *testing.T
	ref    contract.Ref
	clocks *activities.Clocks

	mu     sync.Mutex
	wakes  []string // "<subscription> <time of its clock>"
	asleep bool     // the workflows do not act on signals, or signals are lost
}

func newClockwork(t *testing.T) *clockwork {
	t.Helper()
	w := &clockwork{Scene: scene.New(t), t: t}
	w.Clock.Follow(time.Now) // steps wait in real time
	w.ref = contract.Ref{EnvironmentID: w.Env, ID: id.New(id.TestClock, time.Now())}
	w.clocks = &activities.Clocks{Store: w.Worker, Clock: w.Clock.Now, Patience: time.Second}
	w.Started.Signal = w.signal
	w.InTx(t, func(tx *db.Tx) error {
		return tx.InsertTestClock(t.Context(), w.Env, testclock.Clock{
			ID: w.ref.ID, Status: testclock.Ready, NowAt: scene.Start, CreatedAt: time.Now(),
		})
	})
	return w
}

// signal does what the subscription's workflow does when it is woken: it reloads, and follows the attempt.
func (w *clockwork) signal(ctx context.Context, s db.SignalSubscription) {
	w.mu.Lock()
	w.wakes = append(w.wakes, s.ID+" "+w.clockNow(ctx).Format(time.DateOnly))
	asleep := w.asleep
	w.mu.Unlock()
	assert.Empty(w.t, s.Why, "no command")
	if !asleep {
		assert.NoError(w.t, w.follow(ctx, contract.Ref{EnvironmentID: s.EnvironmentID, ID: s.ID}))
	}
}

// follow is the subscription's workflow until it would wait for the provider. It knows no time but its snapshot's.
func (w *clockwork) follow(ctx context.Context, ref contract.Ref) error {
	snap, err := w.Subscriptions.Advance(ctx, contract.AdvanceInput{Ref: ref, Now: w.Clock.Now()})
	for err == nil && snap.Live != nil && !snap.Live.CheckAt.After(w.Clock.Now()) {
		var out contract.ResolveOutput
		out, err = w.Payments.Charge(ctx, contract.ResolveInput{
			EnvironmentID: w.Env, TransactionID: snap.Live.TransactionID, Now: snap.ClockNow,
		})
		if err == nil {
			snap = *out.Snapshot
		}
	}
	return err
}

// begin asks for an advance as the API does.
func (w *clockwork) begin(to time.Time) error {
	w.t.Helper()
	return w.Store.InTx(w.t.Context(), db.BySystem("test"), w.Clock.Now(), func(tx *db.Tx) error {
		_, err := service.AdvanceClock(w.t.Context(), tx, w.Env, w.ref.ID, to)
		return err
	})
}

func (w *clockwork) clock() testclock.Clock {
	w.t.Helper()
	c, err := w.Store.TestClock(w.t.Context(), w.Env, w.ref.ID)
	require.NoError(w.t, err)
	return c
}

func (w *clockwork) clockNow(ctx context.Context) time.Time {
	c, err := w.Store.TestClock(ctx, w.Env, w.ref.ID)
	require.NoError(w.t, err)
	return c.NowAt
}

// steps moves until the clock is there or blocked.
func (w *clockwork) steps() (contract.StepResult, int) {
	w.t.Helper()
	for n := 1; ; n++ {
		require.Less(w.t, n, 100)
		step, err := w.clocks.StepClock(w.t.Context(), w.ref)
		require.NoError(w.t, err)
		if step.Done {
			return step, n
		}
	}
}

func (w *clockwork) subscribe(trialDays int) contract.Ref {
	w.t.Helper()
	p := scene.Monthly(1000)
	p.TrialDays = trialDays
	return w.SubscribeAt(w.t, w.Customer(w.t, w.ref.ID), w.Plan(w.t, p), scene.Start)
}

func TestStepClock_EveryDueInstantInOrder(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	paying, trialing := w.subscribe(0).ID, w.subscribe(10).ID
	target := scene.Start.AddDate(0, 2, 0)
	require.NoError(t, w.begin(target))
	step, _ := w.steps()
	require.Equal(t, target, step.Now)
	on := func(sub string, at time.Time) string { return sub + " " + at.Format(time.DateOnly) }
	month := scene.Start.AddDate(0, 1, 0)
	require.Equal(t, []string{
		on(paying, scene.Start), on(trialing, scene.Start.AddDate(0, 0, 7)), on(trialing, scene.Start.AddDate(0, 0, 10)),
		on(paying, month), on(trialing, month.AddDate(0, 0, 10)),
		on(paying, target),
	}, w.wakes)
	for range 2 { // a repeat finds it done
		again, err := w.clocks.StepClock(t.Context(), w.ref)
		require.NoError(t, err)
		require.Equal(t, step, again)
	}
	require.Equal(t, testclock.Ready, w.clock().Status)
	require.Equal(t, target, w.clock().NowAt)
	var announced int
	require.NoError(t, w.Pool.QueryRow(t.Context(),
		"select count(*) from events where type = 'test_clock.advanced'").Scan(&announced))
	require.Equal(t, 1, announced)
	w.RequireSound(t)
}

// The step that arrives was performed, and its result lost. Its repeat comes when the next advance has begun.
func TestStepClock_RepeatLeavesTheNextAdvanceItsTarget(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	w.subscribe(0)
	near, far := scene.Start.AddDate(0, 0, 1), scene.Start.AddDate(0, 2, 0)
	require.NoError(t, w.begin(near))
	step, _ := w.steps()
	require.Equal(t, near, step.Now)
	require.Equal(t, testclock.Ready, w.clock().Status)
	require.NoError(t, w.begin(far))
	again, err := w.clocks.StepClock(t.Context(), w.ref)
	require.NoError(t, err)
	require.False(t, again.Done)
	require.Equal(t, testclock.Advancing, w.clock().Status)
	require.Equal(t, far, w.clock().TargetAt)
	step, _ = w.steps()
	require.Equal(t, far, step.Now)
	w.RequireSound(t)
}

func TestStepClock_BlockedByPendingPayment(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	sub := w.subscribe(0)
	w.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	require.NoError(t, w.begin(scene.Start.AddDate(0, 3, 0)))
	step, _ := w.steps()
	require.Len(t, step.BlockedBy, 1)
	require.Equal(t, scene.Start, w.clock().NowAt, "time stands still until it is decided")
	require.Equal(t, step.BlockedBy, w.clock().BlockedBy)

	w.Provider.Script = nil
	w.Provider.Settle(step.BlockedBy[0], providers.Succeeded)
	_, err := w.Payments.Charge(t.Context(), contract.ResolveInput{
		EnvironmentID: w.Env, TransactionID: step.BlockedBy[0], Now: scene.Start, Asked: true,
	})
	require.NoError(t, err)
	require.NoError(t, w.begin(scene.Start.AddDate(0, 3, 0)))
	_, n := w.steps()
	require.Positive(t, n)
	require.Empty(t, w.clock().BlockedBy)
	s, err := w.Store.Subscription(t.Context(), w.Env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, scene.Start.AddDate(0, 4, 0), s.PaidThrough)
	w.RequireSound(t)
}

// The database has done what was due, so that the repeat of a step whose signal did not arrive finds the payment, and
// time waits for it.
func TestStepClock_SignalFails(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	sub := w.subscribe(0)
	require.NoError(t, w.begin(scene.Start.AddDate(0, 1, 0)))
	w.asleep = true
	_, err := w.clocks.StepClock(t.Context(), w.ref)
	require.NoError(t, err, "signals are best effort")
	require.Equal(t, scene.Start, w.clock().NowAt)
	w.asleep = false
	step, err := w.clocks.StepClock(t.Context(), w.ref)
	require.NoError(t, err)
	require.Len(t, step.BlockedBy, 1, "the payment that the lost signal was about")
	require.Equal(t, scene.Start, w.clock().NowAt)

	require.NoError(t, w.follow(t.Context(), sub)) // the reconciler's signal
	step, _ = w.steps()
	require.True(t, step.Done)
	w.RequireSound(t)
}

// A step performs what is due itself and leaves the mark of the wake-up, for the reconciler, until a workflow acts.
func TestStepClock_WorkflowDoesNotAct(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	sub := w.subscribe(0)
	w.asleep = true
	require.NoError(t, w.begin(scene.Start.AddDate(0, 1, 0)))
	step, _ := w.steps()
	require.Len(t, step.BlockedBy, 1)
	pending := func() []db.Ref {
		refs, err := w.Store.WakePendingBefore(t.Context(), time.Now().Add(time.Minute), 10)
		require.NoError(t, err)
		return refs
	}
	require.Equal(t, []db.Ref{{EnvironmentID: w.Env, ID: sub.ID}}, pending())
	require.NoError(t, w.follow(t.Context(), sub))
	require.Empty(t, pending())
	w.RequireSound(t)
}

func TestAdvanceClock_Refusals(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	target := scene.Start.AddDate(0, 1, 0)
	require.Equal(t, "test_clock_backwards", fault.From(w.begin(scene.Start)).Code)
	require.Equal(t, testclock.Ready, w.clock().Status)
	require.NoError(t, w.begin(target))
	require.NoError(t, w.begin(target), "the same again")
	later := fault.From(w.begin(target.Add(time.Hour)))
	require.Equal(t, "test_clock_advancing", later.Code)
	require.Positive(t, later.RetryAfter)
	require.Equal(t, target, w.clock().TargetAt)

	_, _ = w.steps()
	require.Equal(t, "test_clock_backwards", fault.From(w.begin(target)).Code, "it is there already")
	require.Equal(t, testclock.Ready, w.clock().Status)
	require.Equal(t, "test_clock_not_found", fault.From(w.Store.InTx(t.Context(), db.BySystem("test"), w.Clock.Now(),
		func(tx *db.Tx) error {
			_, err := service.AdvanceClock(t.Context(), tx, w.Env, "clk_absent", target)
			return err
		})).Code)
}

// A signal that a later advance sends must find no clock that is ready: a step of it moves nothing.
func TestStepClock_ReadyClockStays(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	w.subscribe(0)
	for range 2 {
		_, err := w.clocks.StepClock(t.Context(), w.ref)
		require.NoError(t, err)
		require.Equal(t, scene.Start, w.clock().NowAt)
		require.Equal(t, testclock.Ready, w.clock().Status)
	}
}
