package life

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
	"perennial/service"
	"perennial/service/clocks"
	"perennial/service/usecase"
	"perennial/test/scene"
)

// AsAPI performs a use case of test clocks as the API does.
func (w *Clockwork) AsAPI(do func(s *service.Service, by usecase.Caller) error) error {
	by := usecase.Caller{
		Actor: db.ByKey("key_1").Doing(db.Call{Operation: "test"}), EnvironmentID: w.Env, Mode: apikey.Test, TimeZone: "UTC",
	}
	return do(service.New(w.Store, w.Clock.Now), by)
}

// Clockwork is a test clock whose subscriptions are driven by hand instead of by workflows: it gets the signals that
// the clock's steps send.
type Clockwork struct {
	*scene.Scene
	t      *testing.T
	Ref    contract.Ref
	Clocks *activities.Clocks

	mu     sync.Mutex
	Wakes  []string // "<subscription> <time of its clock>"
	Asleep bool     // the workflows do not act on signals, or signals are lost
}

// NewClockwork adds a test clock to a new scene.
func NewClockwork(t *testing.T) *Clockwork {
	t.Helper()
	w := &Clockwork{Scene: scene.New(t), t: t}
	w.Clock.Follow(time.Now) // steps wait in real time
	w.Ref = contract.Ref{EnvironmentID: w.Env, ID: id.New(id.TestClock, time.Now())}
	w.Clocks = &activities.Clocks{Store: w.Worker, Clock: w.Clock.Now, Usage: w.Usage, Patience: time.Second}
	w.Started.Signal = w.signal
	w.InTx(t, func(tx *db.Tx) error {
		return tx.Clocks.Insert(t.Context(), w.Env, testclock.Clock{
			ID: w.Ref.ID, Status: testclock.Ready, NowAt: scene.Start, CreatedAt: time.Now(),
		})
	})
	return w
}

// signal does what the woken workflow of the subscription does: it reloads, and follows the attempt.
func (w *Clockwork) signal(ctx context.Context, s db.SignalSubscription) {
	w.mu.Lock()
	w.Wakes = append(w.Wakes, s.ID+" "+w.clockNow(ctx).Format(time.DateOnly))
	asleep := w.Asleep
	w.mu.Unlock()
	assert.Empty(w.t, s.Why, "no command")
	if !asleep {
		assert.NoError(w.t, w.Follow(ctx, contract.Ref{EnvironmentID: s.EnvironmentID, ID: s.ID}))
	}
}

// Follow is the subscription's workflow until it would wait for the provider. It knows no time but its snapshot's.
func (w *Clockwork) Follow(ctx context.Context, ref contract.Ref) error {
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

// Begin asks for an advance as the API does.
func (w *Clockwork) Begin(to time.Time) error {
	w.t.Helper()
	return w.Store.InTx(w.t.Context(), db.BySystem("test"), w.Clock.Now(), func(tx *db.Tx) error {
		_, err := clocks.AdvanceClock(w.t.Context(), tx, w.Env, w.Ref.ID, to)
		return err
	})
}

// TestClock reads the clock.
func (w *Clockwork) TestClock() testclock.Clock {
	w.t.Helper()
	c, err := w.Store.Clocks.Get(w.t.Context(), w.Env, w.Ref.ID)
	require.NoError(w.t, err)
	return c
}

func (w *Clockwork) clockNow(ctx context.Context) time.Time {
	c, err := w.Store.Clocks.Get(ctx, w.Env, w.Ref.ID)
	require.NoError(w.t, err)
	return c.NowAt
}

// Steps moves until the clock is there or blocked.
func (w *Clockwork) Steps() (contract.StepResult, int) {
	w.t.Helper()
	for n := 1; ; n++ {
		require.Less(w.t, n, 100)
		step, err := w.Clocks.StepClock(w.t.Context(), w.Ref)
		require.NoError(w.t, err)
		if step.Done {
			return step, n
		}
	}
}

// Add subscribes a customer on the clock.
func (w *Clockwork) Add(trialDays int) contract.Ref {
	w.t.Helper()
	p := scene.Monthly(1000)
	p.TrialDays = trialDays
	return w.SubscribeAt(w.t, w.Customer(w.t, w.Ref.ID), w.Plan(w.t, p), scene.Start)
}
