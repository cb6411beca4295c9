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
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/workflows"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fakes are activities without a database, for tests of the wiring. They are registered under the names of the real
// ones.
type fakes struct {
	mu      sync.Mutex
	calls   []string
	advance func(contract.AdvanceInput) (contract.Snapshot, error)
	charge  func(contract.ResolveInput) (contract.ResolveOutput, error)
	bill    func(contract.AdvanceInput) (contract.Snapshot, error)
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

// Advance replaces the activity of that name.
func (f *fakes) Advance(_ context.Context, in contract.AdvanceInput) (contract.Snapshot, error) {
	f.note("advance")
	return f.advance(in)
}

// BillUsage replaces the activity of that name.
func (f *fakes) BillUsage(_ context.Context, in contract.AdvanceInput) (contract.Snapshot, error) {
	f.note("bill usage")
	return f.bill(in)
}

// Charge replaces the activity of that name.
func (f *fakes) Charge(_ context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	verb := "charge "
	if in.Asked {
		verb = "check "
	}
	f.note(verb + in.TransactionID)
	return f.charge(in)
}

// sleeping is a subscription that has nothing to do for a month.
func sleeping(revision int64) contract.Snapshot {
	return contract.Snapshot{
		Revision: revision, Status: "active", CustomerID: "cust_1", PlanID: "plan_1", NextAction: "renewal",
		NextAt: noon.AddDate(0, 1, 0), PeriodEnd: noon.AddDate(0, 1, 0),
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
	env := bare()
	env.RegisterActivityWithOptions(f.Advance, activity.RegisterOptions{Name: contract.ActivityAdvance})
	env.RegisterActivityWithOptions(f.BillUsage, activity.RegisterOptions{Name: contract.ActivityBillUsage})
	env.RegisterActivityWithOptions(f.Charge, activity.RegisterOptions{Name: contract.ActivityCharge})
	return env
}

// bare is an environment at noon without activities.
func bare() *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is no deadlock
	env.RegisterWorkflowWithOptions(workflows.Subscription, workflow.RegisterOptions{Name: contract.SubscriptionWorkflow})
	env.RegisterWorkflowWithOptions(workflows.Payment, workflow.RegisterOptions{Name: contract.PaymentWorkflow})
	return env
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
