package workflows_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/workflows"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakes are activities without a database, for tests of the wiring. They have the names of the real ones.
type fakes struct {
	mu      sync.Mutex
	calls   []string
	load    func() (contract.Snapshot, error)
	due     func(contract.DueInput) (contract.Snapshot, error)
	command func(contract.CommandInput) (contract.CommandOutput, error)
	wake    func() (contract.Snapshot, error)
	resolve func(contract.ResolveInput) (contract.ResolveOutput, error)
}

func (f *fakes) note(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, name)
}

func (f *fakes) called() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.calls...)
}

type fakeSubscriptions struct{ *fakes }

func (f fakeSubscriptions) LoadSubscription(context.Context, contract.Ref) (contract.Snapshot, error) {
	f.note("load")
	return f.load()
}

func (f fakeSubscriptions) RenewPeriod(_ context.Context, in contract.DueInput) (contract.Snapshot, error) {
	f.note("renew")
	return f.due(in)
}

func (f fakeSubscriptions) RetryPayment(_ context.Context, in contract.DueInput) (contract.Snapshot, error) {
	f.note("retry")
	return f.due(in)
}

func (f fakeSubscriptions) EndSubscription(_ context.Context, in contract.DueInput) (contract.Snapshot, error) {
	f.note("end")
	return f.due(in)
}

func (f fakeSubscriptions) ApplyCommand(_ context.Context, in contract.CommandInput) (contract.CommandOutput, error) {
	f.note("command " + in.Command.ID)
	return f.command(in)
}

func (f fakeSubscriptions) ActOnWake(context.Context, contract.DueInput) (contract.Snapshot, error) {
	f.note("wake")
	return f.wake()
}

type fakePayments struct{ *fakes }

func (f fakePayments) Charge(_ context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	f.note("charge " + in.TransactionID)
	return f.resolve(in)
}

func (f fakePayments) CheckPayment(_ context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	f.note("check " + in.TransactionID)
	return f.resolve(in)
}

// sleeping is a subscription that has nothing to do for a month.
func sleeping(revision int64) contract.Snapshot {
	return contract.Snapshot{
		Revision: revision, Status: "active", CustomerID: "cust_1", PlanID: "plan_1", NextAction: "renewal", NextAt: noon.AddDate(0, 1, 0),
		PeriodEnd: noon.AddDate(0, 1, 0),
	}
}

// finished is a subscription that needs its workflow no more.
func finished(revision int64) contract.Snapshot {
	s := sleeping(revision)
	s.Status, s.NextAction, s.NextAt, s.Finished = "canceled", "none", time.Time{}, true
	return s
}

// wired is an environment at noon with the fakes as activities.
func wired(t *testing.T, f *fakes) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetTestTimeout(20 * time.Second)
	env.RegisterWorkflowWithOptions(workflows.Subscription, workflow.RegisterOptions{Name: contract.SubscriptionWorkflow})
	env.RegisterWorkflowWithOptions(workflows.Payment, workflow.RegisterOptions{Name: contract.PaymentWorkflow})
	env.RegisterActivity(&fakeSubscriptions{f})
	env.RegisterActivity(&fakePayments{f})
	return env
}

func perform(t *testing.T, env *testsuite.TestWorkflowEnvironment, c contract.Command) *answer {
	t.Helper()
	a := &answer{s: &stage{env: env, t: t}, c: c}
	a.send()
	return a
}

func requireCompleted(t *testing.T, env *testsuite.TestWorkflowEnvironment) {
	t.Helper()
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

// countStarts counts the attempts of activities that went through a task queue.
func countStarts(n *int) func(*activity.Info, context.Context, converter.EncodedValues) {
	return func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.Attempt == 1 {
			*n++
		}
	}
}
