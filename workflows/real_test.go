package workflows_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.uber.org/zap"

	"perennial/activities"
	"perennial/activities/mailing"
	"perennial/billing/customer"
	"perennial/billing/plan"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/documents/drawing"
	"perennial/documents/paper"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
	"perennial/service/clocks"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/test/scene"
	"perennial/worker"
)

// liveScene is a scene on a real Temporal server, with a real worker, in real time.
type liveScene struct {
	*scene.Scene
	client client.Client
	engine *engine.Engine

	callBacks sync.WaitGroup // callbacks that are still to be sent
}

func onRealServer(t *testing.T) *liveScene {
	t.Helper()
	sc := scene.New(t)
	sc.Clock.Follow(time.Now)
	namespace := testkit.Temporal(t)
	c := namespace.Client(t)
	e := engine.New(c)
	following := dispatch.New(dispatch.Config{Store: sc.Store, Engine: e, Now: time.Now, Log: zap.NewNop()})
	t.Cleanup(following.Close)
	sc.Store = sc.Store.With(following)
	w, err := worker.New(worker.Config{
		Client: c, Namespace: namespace.Name, DrainTimeout: time.Second,
		Activities: activities.New(activities.Config{
			Store: sc.Store, Clock: time.Now, Engine: e, Gateway: scene.Gateway{Only: sc.Provider},
			Deliveries: sc.Deliveries(t, nil), Mails: &mailing.Mails{
				Drawer: drawing.New(db.NewDrawings(sc.Store, time.Now), paper.Fonts{}),
				Store:  sc.Store, Clock: time.Now, Accounts: plainMail{},
			},
		}),
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- w.Run(ctx, func() { close(ready) }) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-done) })
	select {
	case <-ready:
	case <-time.After(wait.Patience):
		t.Fatal("the worker does not become ready")
	}
	return &liveScene{Scene: sc, client: c, engine: e}
}

// start does what the API does after the creating transaction.
func (r *liveScene) start(t *testing.T, ref contract.Ref) {
	t.Helper()
	require.NoError(t, r.engine.StartSubscription(t.Context(),
		contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref}}))
}

// clock is a test clock with a customer on it.
func (r *liveScene) clock(t *testing.T) (contract.Ref, customer.Customer) {
	t.Helper()
	ref := contract.Ref{EnvironmentID: r.Env, ID: id.New(id.TestClock, time.Now())}
	r.InTx(t, func(tx *db.Tx) error {
		return tx.Clocks.Insert(t.Context(), r.Env,
			testclock.Clock{ID: ref.ID, Status: testclock.Ready, NowAt: scene.Start, CreatedAt: time.Now()})
	})
	return ref, r.Customer(t, ref.ID)
}

// onClock subscribes the customer of a new clock to p.
func (r *liveScene) onClock(t *testing.T, p plan.Plan) (clock, sub contract.Ref, c customer.Customer) {
	t.Helper()
	clock, c = r.clock(t)
	sub = r.SubscribeAt(t, c, r.Plan(t, p), scene.Start)
	r.start(t, sub)
	return clock, sub, c
}

func (r *liveScene) advance(t *testing.T, clock contract.Ref, to time.Time) {
	t.Helper()
	r.InTx(t, func(tx *db.Tx) error {
		_, err := clocks.AdvanceClock(t.Context(), tx, clock.EnvironmentID, clock.ID, to)
		return err
	})
	r.eventually(t, func() bool {
		c, err := r.Store.Clocks.Get(t.Context(), r.Env, clock.ID)
		return err == nil && c.Status == testclock.Ready
	})
}

// wake signals a subscription's workflow that its row changed.
func (r *liveScene) wake(t *testing.T, sub contract.Ref) {
	t.Helper()
	require.NoError(t, r.engine.Wake(t.Context(), sub, contract.SignalWake, contract.Wake{By: "system"}))
}

// command performs one as the API does: a transaction; its signals follow the commit.
func (r *liveScene) command(t *testing.T, sub contract.Ref, c command) {
	t.Helper()
	r.InTx(t, func(tx *db.Tx) error {
		_, err := c.perform(t.Context(), tx, sub)
		return err
	})
}

func (r *liveScene) eventually(t *testing.T, done func() bool) {
	t.Helper()
	require.Eventually(t, done, wait.Patience, 10*time.Millisecond)
}

// settled waits until so many invoices of a subscription are paid.
func (r *liveScene) settled(t *testing.T, sub contract.Ref, invoices int) {
	t.Helper()
	r.eventually(t, func() bool {
		var n int
		err := r.Pool.QueryRow(t.Context(), "select count(*) from invoices where subscription_id = $1 and status = 'paid'",
			sub.ID).Scan(&n)
		return err == nil && n >= invoices
	})
}

// asleep reports whether a run waits for a timer or a message: every task is done and no activity is open.
func asleep(history []*historypb.HistoryEvent) bool {
	underWay := 0
	for _, e := range history {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED, enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
			underWay++
		case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
			underWay--
		default: // neither begins nor ends a task
		}
	}
	return underWay == 0
}

// history reads one run; empty: the latest.
func (r *liveScene) history(t *testing.T, workflowID, runID string) []*historypb.HistoryEvent {
	t.Helper()
	var out []*historypb.HistoryEvent
	events := r.client.GetWorkflowHistory(t.Context(), workflowID, runID, false,
		enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(t, err)
		out = append(out, e)
	}
	return out
}
