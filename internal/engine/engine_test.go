package engine

import (
	"context"
	"sync/atomic"
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
)

// script is what the workflows of these tests do; they stand in for the real ones at the same names.
type script struct {
	drains atomic.Int32 // so many updates are still refused by a run that is about to continue as new
	asked  atomic.Int32 // commands that reached a workflow
	checks chan string
}

// subscription answers commands until one is called "finish".
func (s *script) subscription(ctx workflow.Context, in contract.SubscriptionInput) error {
	finished := false
	draining := func(workflow.Context, contract.Command) error {
		if s.drains.Add(-1) >= 0 {
			return temporal.NewApplicationError("continuing as new", contract.ErrorDraining)
		}
		return nil
	}
	err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateCommand, func(_ workflow.Context, cmd contract.Command) (contract.CommandResult, error) {
		s.asked.Add(1)
		switch cmd.Name {
		case "finish":
			finished = true
		case "fail":
			return contract.CommandResult{}, temporal.NewApplicationError("a bug", "some_code")
		}
		return contract.CommandResult{TransactionID: in.Ref.ID + " " + cmd.ID}, nil
	}, workflow.UpdateHandlerOptions{Validator: draining})
	if err != nil {
		return err
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var check contract.Check
			workflow.GetSignalChannel(ctx, contract.SignalCheck).Receive(ctx, &check)
			s.checks <- "subscription " + check.TransactionID
		}
	})
	return workflow.Await(ctx, func() bool { return finished && workflow.AllHandlersFinished(ctx) })
}

// payment ends with its first signal.
func (s *script) payment(ctx workflow.Context, in contract.PaymentInput) error {
	var check contract.Check
	workflow.GetSignalChannel(ctx, contract.SignalCheck).Receive(ctx, &check)
	s.checks <- "payment " + in.Ref.ID
	return nil
}

func (s *script) clock(ctx workflow.Context, in contract.TestClockInput) error {
	done := false
	err := workflow.SetUpdateHandler(ctx, contract.UpdateAdvance, func(_ workflow.Context, advance contract.Advance) (contract.AdvanceResult, error) {
		done = true
		return contract.AdvanceResult{Refusal: &contract.Refusal{Kind: "conflict", Code: in.Ref.ID, Detail: advance.CommandID}}, nil
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return done })
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
			contract.SearchEnvironment.GetName(): keyword, contract.SearchCustomer.GetName(): keyword, contract.SearchPlan.GetName(): keyword,
			contract.SearchStatus.GetName(): keyword, contract.SearchNextAction.GetName(): keyword,
		},
	})
	require.NoError(t, err)
	s := &script{checks: make(chan string, 16)}
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
		Input:      contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: id.New(id.Environment, b.now), ID: id.New(id.Subscription, b.now)}},
		CustomerID: id.New(id.Customer, b.now), PlanID: id.New(id.Plan, b.now), Status: "active", NextAction: "renewal",
	}
}

func TestACommandFindsItsWorkflowWhateverBecameOfIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	subID := in.Input.Ref.ID

	result, err := b.Command(t.Context(), in, contract.Command{ID: "cmd_1", Name: "any"}) // it was never started
	require.NoError(t, err)
	require.Equal(t, subID+" cmd_1", result.TransactionID)
	require.NoError(t, b.StartSubscription(t.Context(), in), "one that runs is as good")

	require.NoError(t, b.client.TerminateWorkflow(t.Context(), subID, "", "lost"))
	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_2", Name: "any"})
	require.NoError(t, err, "a lost workflow is started again")

	b.script.drains.Store(3)
	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_3", Name: "any"})
	require.NoError(t, err, "a draining run refuses; the next try comes through")
	require.EqualValues(t, -1, b.script.drains.Load())

	before := b.script.asked.Load()
	for range 2 {
		_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_3", Name: "any"})
		require.NoError(t, err)
	}
	require.Equal(t, before+2, b.script.asked.Load(), "each asking reaches the workflow: a refusal may have passed meanwhile")

	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_4", Name: "fail"})
	require.Equal(t, fault.Internal, fault.From(err).Kind)

	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_5", Name: "finish"})
	require.NoError(t, err)
	require.NoError(t, b.client.GetWorkflow(t.Context(), subID, "").Get(t.Context(), nil))
	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_6", Name: "any"})
	require.ErrorIs(t, err, contract.ErrFinished)
	require.NoError(t, b.StartSubscription(t.Context(), in), "what has finished needs no start")

	result, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_7", Name: contract.CommandPay})
	require.NoError(t, err, "a payment of what was left open starts it again")
	require.Equal(t, subID+" cmd_7", result.TransactionID)
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
	require.Eventually(t, func() bool { return attended(in.Input.Ref.ID) }, 10*time.Second, 20*time.Millisecond)

	o := subscriptionOptions(b.start())
	o.TaskQueue = "nobody polls this"
	_, err := b.client.ExecuteWorkflow(t.Context(), o, contract.SubscriptionWorkflow, in.Input)
	require.NoError(t, err)
	require.False(t, attended(o.ID))
}

func TestOperatorsSeeWhatAWorkflowIsAbout(t *testing.T) {
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

func TestACheckReachesWhoeverOwnsTheTransaction(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	require.NoError(t, b.StartSubscription(t.Context(), in))
	txn := id.New(id.Transaction, b.now)
	owner := contract.Owner{EnvironmentID: in.Input.Ref.EnvironmentID, TransactionID: txn, SubscriptionID: in.Input.Ref.ID}

	require.NoError(t, b.Check(t.Context(), owner, contract.Check{TransactionID: txn}))
	require.Equal(t, "subscription "+txn, <-b.script.checks)
	require.NoError(t, b.Wake(t.Context(), in.Input.Ref))

	_, err := b.Command(t.Context(), in, contract.Command{ID: "cmd_1", Name: "finish"})
	require.NoError(t, err)
	require.NoError(t, b.client.GetWorkflow(t.Context(), in.Input.Ref.ID, "").Get(t.Context(), nil))
	for range 2 { // each time a new run: a callback may come long after the last one
		require.NoError(t, b.Check(t.Context(), owner, contract.Check{TransactionID: txn}))
		require.Equal(t, "payment "+txn, <-b.script.checks)
		require.NoError(t, b.client.GetWorkflow(t.Context(), txn, "").Get(t.Context(), nil))
	}
	require.NoError(t, b.StartPayment(t.Context(), contract.PaymentInput{Ref: contract.Ref{EnvironmentID: owner.EnvironmentID, ID: txn}}))
}

func TestAClockIsAdvancedByItsWorkflow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ref := contract.Ref{EnvironmentID: id.New(id.Environment, b.now), ID: id.New(id.TestClock, b.now)}
	result, err := b.Advance(t.Context(), ref, contract.Advance{CommandID: "cmd_1", To: b.now})
	require.NoError(t, err)
	require.Equal(t, &contract.Refusal{Kind: "conflict", Code: ref.ID, Detail: "cmd_1"}, result.Refusal)
}

func TestAnEngineThatDoesNotAnswerIsUnavailable(t *testing.T) {
	t.Parallel()
	away, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: nothing{}})
	require.NoError(t, err)
	t.Cleanup(away.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	engine, in := New(away), (&bench{}).start()
	_, err = engine.Command(ctx, in, contract.Command{ID: "cmd_1", Name: "any"})
	require.ErrorIs(t, err, ErrUnavailable)
	require.Positive(t, fault.From(err).RetryAfter)
	require.ErrorIs(t, engine.StartSubscription(ctx, in), ErrUnavailable)
}

func TestAWorkerThatIsAwayIsUnavailable(t *testing.T) {
	t.Parallel()
	engine := New(testkit.Temporal(t).Client(t))
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := engine.Advance(ctx, contract.Ref{EnvironmentID: "env_1", ID: "clk_1"}, contract.Advance{CommandID: "cmd_1"})
	require.ErrorIs(t, err, ErrUnavailable)
}

// nothing drops the client's log lines.
type nothing struct{}

func (nothing) Debug(string, ...any) {}
func (nothing) Info(string, ...any)  {}
func (nothing) Warn(string, ...any)  {}
func (nothing) Error(string, ...any) {}

// The reconciler has nothing else to bring a dead run back with: its row says that it was started.
func TestAWakeStartsWhatWasTerminated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := b.start()
	require.NoError(t, b.StartSubscription(t.Context(), in))
	require.NoError(t, b.client.TerminateWorkflow(t.Context(), in.Input.Ref.ID, "", "lost"))

	require.NoError(t, b.Wake(t.Context(), in.Input.Ref))

	_, err := b.Command(t.Context(), in, contract.Command{ID: "cmd_1", Name: "finish"})
	require.NoError(t, err)
	require.NoError(t, b.client.GetWorkflow(t.Context(), in.Input.Ref.ID, "").Get(t.Context(), nil))
	require.NoError(t, b.Wake(t.Context(), in.Input.Ref), "what has finished stays so")
	_, err = b.Command(t.Context(), in, contract.Command{ID: "cmd_2", Name: "any"})
	require.ErrorIs(t, err, contract.ErrFinished)
}
