package activities_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/scene"
)

// clockwork is a test clock whose subscriptions are driven by hand instead of by workflows.
type clockwork struct {
	*scene.Scene
	t      *testing.T
	ref    contract.Ref
	clocks *activities.Clocks

	mu    sync.Mutex
	ticks []contract.Tick
	fail  error
}

func newClockwork(t *testing.T) *clockwork {
	t.Helper()
	w := &clockwork{Scene: scene.New(t), t: t}
	w.Clock.Follow(time.Now) // steps wait in real time
	w.ref = contract.Ref{EnvironmentID: w.Env, ID: id.New(id.TestClock, time.Now())}
	w.clocks = &activities.Clocks{Store: w.Store, Clock: w.Clock.Now, Ticker: w, Patience: time.Second}
	w.InTx(t, func(tx *db.Tx) error {
		return tx.InsertTestClock(t.Context(), w.Env, db.TestClock{ID: w.ref.ID, Status: db.ClockReady, NowAt: scene.Start, CreatedAt: time.Now()})
	})
	return w
}

// Tick implements activities.Ticker: it does what the subscription's workflow would do.
func (w *clockwork) Tick(ctx context.Context, in contract.SubscriptionStart, tick contract.Tick) error {
	w.mu.Lock()
	w.ticks = append(w.ticks, tick)
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		return fail
	}
	snap, err := w.Subscriptions.Advance(ctx, contract.AdvanceInput{Ref: in.Input.Ref, Now: tick.Now})
	for err == nil && snap.Live != nil {
		if snap.Live.CheckAt.After(w.Clock.Now()) {
			<-ctx.Done() // the workflow would wait for the provider
			return ctx.Err()
		}
		var out contract.ResolveOutput
		out, err = w.Payments.Charge(ctx, contract.ResolveInput{EnvironmentID: w.Env, TransactionID: snap.Live.TransactionID, Now: tick.Now})
		if err == nil {
			snap = *out.Snapshot
		}
	}
	return err
}

func (w *clockwork) begin(to time.Time, key string) contract.AdvanceResult {
	w.t.Helper()
	in := contract.AdvanceInput{Ref: w.ref, Advance: contract.Advance{CommandID: "cmd_" + key, To: to}}
	if key != "" {
		in.Advance.Idempotency = &contract.IdempotencyRef{Route: "advance", Key: key}
	}
	out, err := w.clocks.BeginAdvance(w.t.Context(), in)
	require.NoError(w.t, err)
	return out
}

func (w *clockwork) clock() db.TestClock {
	w.t.Helper()
	c, err := w.Store.TestClock(w.t.Context(), w.Env, w.ref.ID)
	require.NoError(w.t, err)
	return c
}

// steps moves until the clock is there or blocked.
func (w *clockwork) steps() (contract.StepResult, int) {
	w.t.Helper()
	for n := 1; ; n++ {
		require.Less(w.t, n, 100)
		step, err := w.clocks.StepClock(w.t.Context(), w.ref)
		require.NoError(w.t, err)
		if step.Done || len(step.BlockedBy) > 0 {
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

func TestAClockVisitsEveryDueInstantInOrder(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	w.subscribe(0)
	w.subscribe(10)
	target := scene.Start.AddDate(0, 2, 0)
	require.Nil(t, w.begin(target, "").Refusal)
	step, _ := w.steps()
	require.Equal(t, target, step.Now)
	var at []time.Time
	for _, tick := range w.ticks {
		at = append(at, tick.Now)
	}
	require.Equal(t, []time.Time{
		scene.Start, scene.Start.AddDate(0, 0, 10), scene.Start.AddDate(0, 1, 0), scene.Start.AddDate(0, 1, 10), target,
	}, at)
	require.Equal(t, db.ClockAdvancing, w.clock().Status)

	for range 2 { // a repeat finds it done
		require.NoError(t, w.clocks.FinishAdvance(t.Context(), w.ref, nil))
	}
	require.Equal(t, db.ClockReady, w.clock().Status)
	require.Equal(t, target, w.clock().NowAt)
	var announced int
	require.NoError(t, w.Pool.QueryRow(t.Context(), "select count(*) from events where type = 'test_clock.advanced'").Scan(&announced))
	require.Equal(t, 1, announced)
	w.RequireSound(t)
}

func TestAPendingPaymentBlocksTheClock(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	sub := w.subscribe(0)
	w.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Pend }
	require.Nil(t, w.begin(scene.Start.AddDate(0, 3, 0), "").Refusal)
	step, _ := w.steps()
	require.Len(t, step.BlockedBy, 1)
	require.Equal(t, scene.Start, w.clock().NowAt, "time stands still until it is decided")
	require.NoError(t, w.clocks.FinishAdvance(t.Context(), w.ref, step.BlockedBy))
	require.Equal(t, step.BlockedBy, w.clock().BlockedBy)

	w.Provider.Script = nil
	w.Provider.Settle(step.BlockedBy[0], providers.Succeeded)
	_, err := w.Payments.Charge(t.Context(), contract.ResolveInput{EnvironmentID: w.Env, TransactionID: step.BlockedBy[0], Now: scene.Start, Asked: true})
	require.NoError(t, err)
	require.Nil(t, w.begin(scene.Start.AddDate(0, 3, 0), "").Refusal)
	_, n := w.steps()
	require.Positive(t, n)
	require.Empty(t, w.clock().BlockedBy)
	s, err := w.Store.Subscription(t.Context(), w.Env, sub.ID)
	require.NoError(t, err)
	require.Equal(t, scene.Start.AddDate(0, 4, 0), s.PaidThrough)
	w.RequireSound(t)
}

// Where a subscription's workflow does not answer, the step fails and is tried again: time does not pass it by.
func TestTimeWaitsForAWorkflowThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	w.subscribe(0)
	require.Nil(t, w.begin(scene.Start.AddDate(0, 1, 0), "").Refusal)
	w.fail = errors.New("no worker")
	_, err := w.clocks.StepClock(t.Context(), w.ref)
	require.ErrorIs(t, err, w.fail)
	require.Equal(t, scene.Start, w.clock().NowAt)
	w.fail = nil
	step, _ := w.steps()
	require.True(t, step.Done)
	w.RequireSound(t)
}

func TestWhatAnAdvanceRefuses(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	target := scene.Start.AddDate(0, 1, 0)
	require.Equal(t, "test_clock_backwards", w.begin(scene.Start, "").Refusal.Code)
	require.Nil(t, w.begin(target, "").Refusal)
	require.Nil(t, w.begin(target, "").Refusal, "the same again")
	require.Equal(t, "test_clock_advancing", w.begin(target.Add(time.Hour), "").Refusal.Code)
}

// A refused advance is refused again under the same key, even where the first answer was lost; a performed one is not
// performed again.
func TestARepeatedAdvance(t *testing.T) {
	t.Parallel()
	w := newClockwork(t)
	target := scene.Start.AddDate(0, 1, 0)
	for _, key := range []string{"refused", "performed"} {
		w.InTx(t, func(tx *db.Tx) error {
			_, _, err := tx.ClaimIdempotency(t.Context(), w.Env, db.IdempotencyKey{Route: "advance", Key: key, Fingerprint: []byte("x"), CommandID: "cmd_" + key}, time.Now().Add(time.Minute))
			return err
		})
	}
	for range 2 {
		require.Equal(t, "test_clock_backwards", w.begin(scene.Start, "refused").Refusal.Code)
	}
	require.Nil(t, w.begin(target, "performed").Refusal)
	_, _ = w.steps()
	require.NoError(t, w.clocks.FinishAdvance(t.Context(), w.ref, nil))
	require.Nil(t, w.begin(target, "performed").Refusal)
	require.Equal(t, db.ClockReady, w.clock().Status)
}
