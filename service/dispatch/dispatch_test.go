package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/telemetry"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
	"perennial/test/scene"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// fakeEngine records its requests, in words.
type fakeEngine struct {
	mu     sync.Mutex
	asked  []string
	starts []contract.SubscriptionStart
	answer func(context.Context) error
	refuse string
}

func (f *fakeEngine) ask(ctx context.Context, what string) error {
	f.mu.Lock()
	f.asked = append(f.asked, what)
	f.mu.Unlock()
	if what == f.refuse {
		return errors.New("away")
	}
	if f.answer != nil {
		return f.answer(ctx)
	}
	return nil
}

func (f *fakeEngine) StartSubscription(ctx context.Context, in contract.SubscriptionStart) error {
	f.mu.Lock()
	f.starts = append(f.starts, in)
	f.mu.Unlock()
	return f.ask(ctx, "start "+in.Input.Ref.ID)
}

func (f *fakeEngine) StartPayment(ctx context.Context, in contract.PaymentInput) error {
	return f.ask(ctx, "start "+in.Ref.ID)
}

func (f *fakeEngine) StartErasure(ctx context.Context, in contract.ErasureInput) error {
	return f.ask(ctx, "erase "+in.CustomerID+" by "+in.Ref.ID)
}

func (f *fakeEngine) AdvanceClock(ctx context.Context, ref contract.Ref) error {
	return f.ask(ctx, "advance "+ref.ID)
}

func (f *fakeEngine) Wake(ctx context.Context, ref contract.Ref, signal string, wake contract.Wake) error {
	return f.ask(ctx, fmt.Sprintf("%s %s at %d by %s %s", signal, ref.ID, wake.Revision, wake.By, wake.Actor))
}

func (f *fakeEngine) WakeEndpoint(ctx context.Context, ref contract.Ref) error {
	return f.ask(ctx, "wake endpoint "+ref.ID)
}

func (f *fakeEngine) WakeSender(ctx context.Context, ref contract.Ref) error {
	return f.ask(ctx, "wake sender "+ref.ID)
}

func (f *fakeEngine) Check(ctx context.Context, owner contract.Owner, _ contract.Check) error {
	return f.ask(ctx, "check "+owner.TransactionID+" of "+owner.SubscriptionID)
}

func TestDispatch_AsksTheEngineForEachEffect(t *testing.T) {
	t.Parallel()
	s, engine := scene.New(t), &fakeEngine{}
	d := New(Config{Store: s.Store, Engine: engine, Now: s.Clock.Now, Log: zap.NewNop()})
	sub := subscription.Subscription{
		ID: "sub_1", CustomerID: "cust_1", PlanID: "plan_1", Status: subscription.Trialing, TestClockID: "clk_1",
		CreatedAt: scene.Start,
	}
	d.Dispatch(t.Context(), db.BySystem("test"), []db.Effect{
		db.StartSubscription{EnvironmentID: s.Env, Subscription: sub}, db.StartPayment{EnvironmentID: s.Env, ID: "txn_1"},
		db.StartErasure{EnvironmentID: s.Env, ID: "era_1", CustomerID: "cust_1"},
		db.AdvanceTestClock{EnvironmentID: s.Env, ID: "clk_1"}, db.SignalSubscription{EnvironmentID: s.Env, ID: "sub_2"},
		db.SignalSubscription{EnvironmentID: s.Env, ID: "sub_4", Why: contract.CommandPay, Revision: 3},
		db.CheckTransaction{EnvironmentID: s.Env, ID: "txn_2", SubscriptionID: "sub_3"},
		db.WakeEndpoint{EnvironmentID: s.Env, ID: "whe_1"}, db.WakeSender{EnvironmentID: s.Env, ID: "ems_1"},
	})
	d.Close() // performs what waits
	require.ElementsMatch(t, []string{
		"start sub_1", "start txn_1", "erase cust_1 by era_1", "advance clk_1", "wake sub_2 at 0 by system test",
		"pay sub_4 at 3 by system test",
		"check txn_2 of sub_3", "wake endpoint whe_1", "wake sender ems_1",
	}, engine.asked)
	in := engine.starts[0]
	require.Equal(t, contract.Ref{EnvironmentID: s.Env, ID: "sub_1"}, in.Input.Ref)
	require.Equal(t, []string{"cust_1", "plan_1", "trialing"}, []string{in.CustomerID, in.PlanID, in.Status})
	require.Equal(t, scene.Start, in.Input.Snapshot.ClockNow, "a subscription on a test clock begins in its time")
}

func TestDispatch_MarksWhatItStarted(t *testing.T) {
	t.Parallel()
	s, engine := scene.New(t), &fakeEngine{}
	d := New(Config{Store: s.Store, Engine: engine, Now: s.Clock.Now, Log: zap.NewNop(), AtOnce: 1})
	require.Eventually(t, func() bool { return d.started.epoch() == 1 }, wait.Patience, time.Millisecond)
	c, p := s.Customer(t, ""), s.Plan(t, scene.Monthly(1000))
	started, lost := s.Subscribe(t, c, p), s.Subscribe(t, c, p)
	engine.refuse = "start " + lost.ID
	start := func(ref contract.Ref) {
		d.Dispatch(t.Context(), db.BySystem("test"), []db.Effect{
			db.StartSubscription{EnvironmentID: s.Env, Subscription: subscription.Subscription{ID: ref.ID}},
		})
	}
	start(started)
	start(lost)
	d.Close()
	unmarked, err := s.Store.Reconcile.UnstartedSubscriptions(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Equal(t, []db.Ref{{EnvironmentID: s.Env, ID: lost.ID}}, unmarked, "the reconciler starts it")
}

func TestDispatch_LogsWhatIsLeftToTheReconciler(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger, err := telemetry.NewLogger("info", &log)
	require.NoError(t, err)
	s := scene.New(t)
	engine := &fakeEngine{answer: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	d := New(Config{Store: s.Store, Engine: engine, Now: s.Clock.Now, Log: logger, Patience: 10 * time.Millisecond})
	gone, cancel := context.WithCancel(t.Context())
	cancel() // a caller that disconnects must not end the effects of its commit
	payment := id.New(id.Transaction, scene.Start)
	d.Dispatch(gone, db.BySystem("test"), []db.Effect{db.StartPayment{EnvironmentID: s.Env, ID: payment}})
	d.Close()
	require.Contains(t, log.String(), "left to the reconciler")
	require.Contains(t, log.String(), payment)
	require.Contains(t, log.String(), context.DeadlineExceeded.Error())
}

func TestDispatch_SurvivesAPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger, err := telemetry.NewLogger("info", &log)
	require.NoError(t, err)
	s := scene.New(t)
	engine := &fakeEngine{answer: func(context.Context) error { panic("the cause") }}
	d := New(Config{Store: s.Store, Engine: engine, Now: s.Clock.Now, Log: logger, AtOnce: 1})
	for range 2 {
		d.Dispatch(t.Context(), db.BySystem("test"), []db.Effect{db.StartPayment{EnvironmentID: s.Env, ID: "txn_1"}})
	}
	d.Close()
	require.Len(t, engine.asked, 2)
	require.Contains(t, log.String(), "the cause")
}

func TestDispatch_DoesNotWaitForTemporal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger, err := telemetry.NewLogger("info", &log)
	require.NoError(t, err)
	s, release := scene.New(t), make(chan struct{})
	engine := &fakeEngine{answer: func(context.Context) error { <-release; return nil }}
	d := New(Config{Store: s.Store, Engine: engine, Now: s.Clock.Now, Log: logger, AtOnce: 1})
	dispatched := make(chan struct{})
	go func() {
		defer close(dispatched)
		for range mostWaiting + 2 { // one is being performed, one is too many
			d.Dispatch(t.Context(), db.BySystem("test"), []db.Effect{db.StartPayment{EnvironmentID: s.Env, ID: "txn_1"}})
		}
	}()
	select {
	case <-dispatched:
	case <-time.After(wait.Patience):
		require.Fail(t, "a caller waits for Temporal")
	}
	require.Contains(t, log.String(), errFull.Error(), "what is too much is left to the reconciler, and said")
	close(release)
	d.Close()
	require.GreaterOrEqual(t, len(engine.asked), mostWaiting)
	d.Dispatch(t.Context(), db.BySystem("test"), []db.Effect{db.StartPayment{EnvironmentID: s.Env, ID: "txn_2"}})
	require.Contains(t, log.String(), errClosed.Error())
}
