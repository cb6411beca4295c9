package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/fault"
	"perennial/contract"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
)

// script has the channels of these tests' workflows, which replace the real ones under the same names.
type script struct {
	wakes  chan wake
	checks chan string
	clocks chan string
}

// wake is one signal that reached a subscription's workflow.
type wake struct {
	id, signal string
	contract.Wake
}

// finish, as who woke it, ends a subscription's workflow of these tests.
const finish = "finish"

// subscription reports each signal, and ends when it is woken to finish.
func (s *script) subscription(ctx workflow.Context, in contract.SubscriptionInput) error {
	finished := false
	selector := workflow.NewSelector(ctx)
	for _, name := range append([]string{contract.SignalWake}, contract.CommandSignals...) {
		selector.AddReceive(workflow.GetSignalChannel(ctx, name), func(c workflow.ReceiveChannel, _ bool) {
			var w contract.Wake
			c.Receive(ctx, &w)
			s.wakes <- wake{in.Ref.ID, name, w}
			finished = w.By == finish
		})
	}
	selector.AddReceive(workflow.GetSignalChannel(ctx, contract.SignalCheck), func(c workflow.ReceiveChannel, _ bool) {
		var check contract.Check
		c.Receive(ctx, &check)
		s.checks <- "subscription " + check.TransactionID
	})
	for !finished {
		selector.Select(ctx)
	}
	return nil
}

// payment ends with its first signal.
func (s *script) payment(ctx workflow.Context, in contract.PaymentInput) error {
	var check contract.Check
	workflow.GetSignalChannel(ctx, contract.SignalCheck).Receive(ctx, &check)
	s.checks <- "payment " + in.Ref.ID
	return nil
}

// clock ends with its first signal, as the real one does with each advance.
func (s *script) clock(ctx workflow.Context, in contract.TestClockInput) error {
	workflow.GetSignalChannel(ctx, contract.SignalAdvance).Receive(ctx, nil)
	s.clocks <- in.Ref.EnvironmentID + " " + in.Ref.ID
	return nil
}

type bench struct {
	*Engine
	script *script
	client client.Client
	now    time.Time
}

func newBench(t *testing.T) *bench {
	t.Helper()
	namespace := testkit.Temporal(t)
	c := namespace.Client(t)
	keyword := enumspb.INDEXED_VALUE_TYPE_KEYWORD
	_, err := c.OperatorService().AddSearchAttributes(t.Context(), &operatorservice.AddSearchAttributesRequest{
		Namespace: namespace.Name, SearchAttributes: map[string]enumspb.IndexedValueType{
			contract.SearchEnvironment.GetName(): keyword, contract.SearchCustomer.GetName(): keyword,
			contract.SearchPlan.GetName():   keyword,
			contract.SearchStatus.GetName(): keyword, contract.SearchNextAction.GetName(): keyword,
		},
	})
	require.NoError(t, err)
	s := &script{checks: make(chan string, 16), wakes: make(chan wake, 16), clocks: make(chan string, 16)}
	w := worker.New(c, contract.QueueBilling, worker.Options{})
	w.RegisterWorkflowWithOptions(s.subscription, workflow.RegisterOptions{Name: contract.SubscriptionWorkflow})
	w.RegisterWorkflowWithOptions(s.payment, workflow.RegisterOptions{Name: contract.PaymentWorkflow})
	w.RegisterWorkflowWithOptions(s.clock, workflow.RegisterOptions{Name: contract.TestClockWorkflow})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	return &bench{Engine: New(c), script: s, client: c, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
}

func (b *bench) start() contract.SubscriptionStart {
	return contract.SubscriptionStart{
		Input: contract.SubscriptionInput{Ref: contract.Ref{
			EnvironmentID: id.New(id.Environment, b.now), ID: id.New(id.Subscription, b.now),
		}},
		CustomerID: id.New(id.Customer, b.now), PlanID: id.New(id.Plan, b.now), Status: "active", NextAction: "renewal",
	}
}

// wakes signals a subscription's workflow and waits until it has received the signal.
func (b *bench) wakes(t *testing.T, ref contract.Ref, signal, by string) {
	t.Helper()
	sent := contract.Wake{By: by, Actor: "key_1", Revision: 7}
	require.NoError(t, b.Wake(t.Context(), ref, signal, sent))
	require.Equal(t, wake{ref.ID, signal, sent}, within(t, b.script.wakes))
}

// finishes ends a subscription's workflow well.
func (b *bench) finishes(t *testing.T, ref contract.Ref) {
	t.Helper()
	b.wakes(t, ref, contract.SignalWake, finish)
	require.NoError(t, b.client.GetWorkflow(t.Context(), ref.ID, "").Get(t.Context(), nil))
}

func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(wait.Patience):
		t.Fatal("nothing arrived")
		panic("unreachable")
	}
}

// A signal for a subscription is received whatever the state of its workflow. The reconciler has no other way to bring
// a dead run back: its row says that it was started.
func TestWake_RunningClosedOrAbsentWorkflow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	ref := in.Input.Ref

	b.wakes(t, ref, contract.CommandCancel, "key") // it was never started
	require.NoError(t, b.StartSubscription(t.Context(), in), "one that runs is as good")
	for _, signal := range append([]string{contract.SignalWake}, contract.CommandSignals...) {
		b.wakes(t, ref, signal, "key")
	}
	require.NoError(t, b.client.TerminateWorkflow(t.Context(), ref.ID, "", "lost"))
	b.wakes(t, ref, contract.SignalWake, "system")

	b.finishes(t, ref)
	require.NoError(t, b.StartSubscription(t.Context(), in), "what has finished needs no start")
	_, err := b.client.DescribeWorkflow(t.Context(), ref.ID, "")
	require.NoError(t, err)
	b.wakes(t, ref, contract.CommandPay, "key") // a payment of an open invoice starts it again
	b.finishes(t, ref)
}

func TestStart_FinishedWorkflowIsNotStarted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	b.finishes(t, in.Input.Ref)
	before, err := b.client.DescribeWorkflow(t.Context(), in.Input.Ref.ID, "")
	require.NoError(t, err)
	require.NoError(t, b.StartSubscription(t.Context(), in))
	after, err := b.client.DescribeWorkflow(t.Context(), in.Input.Ref.ID, "")
	require.NoError(t, err)
	require.Equal(t, before.WorkflowExecution.RunID, after.WorkflowExecution.RunID)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, after.Status)
}

func TestAttended_IsTrueWhenNoTaskWaits(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	attended := func(id string) bool {
		ok, err := b.Attended(t.Context(), id)
		require.NoError(t, err)
		return ok
	}
	require.True(t, attended("sub_none"), "what is not there waits for nothing")
	in := b.start()
	require.NoError(t, b.StartSubscription(t.Context(), in))
	require.Eventually(t, func() bool { return attended(in.Input.Ref.ID) }, wait.Patience, 20*time.Millisecond)

	o := subscriptionOptions(b.start())
	o.TaskQueue = "nobody polls this"
	_, err := b.client.ExecuteWorkflow(t.Context(), o, contract.SubscriptionWorkflow, in.Input)
	require.NoError(t, err)
	require.False(t, attended(o.ID))
}

func TestStart_SetsSearchAttributes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	require.NoError(t, b.StartSubscription(t.Context(), in))
	described, err := b.client.DescribeWorkflow(t.Context(), in.Input.Ref.ID, "")
	require.NoError(t, err)
	attributes := described.TypedSearchAttributes
	for key, want := range map[temporal.SearchAttributeKeyKeyword]string{
		contract.SearchEnvironment: in.Input.Ref.EnvironmentID, contract.SearchCustomer: in.CustomerID,
		contract.SearchPlan: in.PlanID, contract.SearchStatus: "active", contract.SearchNextAction: "renewal",
	} {
		got, ok := attributes.GetKeyword(key)
		require.True(t, ok, key.GetName())
		require.Equal(t, want, got)
	}
	summary, err := described.GetStaticSummary()
	require.NoError(t, err)
	require.Equal(t, "Subscription of "+in.CustomerID+" to "+in.PlanID, summary)
	raw, err := b.client.DescribeWorkflowExecution(t.Context(), in.Input.Ref.ID, "")
	require.NoError(t, err)
	require.Equal(t, in.Input.Ref.EnvironmentID, raw.GetWorkflowExecutionInfo().GetPriority().GetFairnessKey())
}

func TestCheck_SignalsOwnerOfTransaction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	require.NoError(t, b.StartSubscription(t.Context(), in))
	txn := id.New(id.Transaction, b.now)
	owner := contract.Owner{EnvironmentID: in.Input.Ref.EnvironmentID, TransactionID: txn, SubscriptionID: in.Input.Ref.ID}

	require.NoError(t, b.Check(t.Context(), owner, contract.Check{TransactionID: txn}))
	require.Equal(t, "subscription "+txn, within(t, b.script.checks))

	b.finishes(t, in.Input.Ref)
	for range 2 { // each time a new run: a callback may come long after the last one
		require.NoError(t, b.Check(t.Context(), owner, contract.Check{TransactionID: txn}))
		require.Equal(t, "payment "+txn, within(t, b.script.checks))
		require.NoError(t, b.client.GetWorkflow(t.Context(), txn, "").Get(t.Context(), nil))
	}
	require.NoError(t, b.StartPayment(t.Context(),
		contract.PaymentInput{Ref: contract.Ref{EnvironmentID: owner.EnvironmentID, ID: txn}}))
}

func TestAdvanceClock_SignalsClockWorkflow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ref := contract.Ref{EnvironmentID: id.New(id.Environment, b.now), ID: id.New(id.TestClock, b.now)}
	for range 2 { // its workflow ends with each advance, and runs again for the next
		require.NoError(t, b.AdvanceClock(t.Context(), ref))
		require.Equal(t, ref.EnvironmentID+" "+ref.ID, within(t, b.script.clocks))
		require.NoError(t, b.client.GetWorkflow(t.Context(), ref.ID, "").Get(t.Context(), nil))
	}
}

func TestEngine_UnavailableWithoutTemporal(t *testing.T) {
	t.Parallel()
	away, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: nothing{}})
	require.NoError(t, err)
	t.Cleanup(away.Close)
	engine, in := New(away), (&bench{}).start()
	ref := in.Input.Ref
	for name, call := range map[string]func(context.Context) error{
		"start":   func(ctx context.Context) error { return engine.StartSubscription(ctx, in) },
		"wake":    func(ctx context.Context) error { return engine.Wake(ctx, ref, contract.SignalWake, contract.Wake{}) },
		"advance": func(ctx context.Context) error { return engine.AdvanceClock(ctx, ref) },
		"erase": func(ctx context.Context) error {
			return engine.StartErasure(ctx, contract.ErasureInput{Ref: ref, CustomerID: "cust_1"})
		},
		"pay": func(ctx context.Context) error { return engine.StartPayment(ctx, contract.PaymentInput{Ref: ref}) },
		"check": func(ctx context.Context) error {
			return engine.Check(ctx, contract.Owner{SubscriptionID: ref.ID}, contract.Check{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			err := call(ctx)
			require.ErrorIs(t, err, ErrUnavailable)
			require.Positive(t, fault.From(err).RetryAfter)
		})
	}
}

// nothing drops the client's log lines.
type nothing struct{}

func (nothing) Debug(string, ...any) {}
func (nothing) Info(string, ...any)  {}
func (nothing) Warn(string, ...any)  {}
func (nothing) Error(string, ...any) {}
