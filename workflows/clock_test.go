package workflows_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/workflows"
)

// fakeClocks are the activities of a test clock without a database.
type fakeClocks struct {
	step  func(n int) (contract.StepResult, error)
	steps atomic.Int64
}

func (f *fakeClocks) StepClock(context.Context, contract.Ref) (contract.StepResult, error) {
	return f.step(int(f.steps.Add(1)))
}

var clockRef = contract.Ref{EnvironmentID: "env_1", ID: "clk_1"}

func clockwork(t *testing.T, f *fakeClocks) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetTestTimeout(20 * time.Second)
	env.RegisterWorkflowWithOptions(workflows.TestClock, workflow.RegisterOptions{Name: contract.TestClockWorkflow})
	env.RegisterActivityWithOptions(f.StepClock, activity.RegisterOptions{Name: contract.ActivityStepClock})
	return env
}

// advance signals the workflow that there is a target.
func advance(env *testsuite.TestWorkflowEnvironment) { env.SignalWorkflow(contract.SignalAdvance, nil) }

func TestTestClock_StepsUntilItIsThere(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) { return contract.StepResult{Done: n == 13}, nil }}
	env := clockwork(t, f)
	env.RegisterDelayedCallback(func() { advance(env) }, 0)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.EqualValues(t, 13, f.steps.Load())
}

// The reconciler starts an interrupted advance again: it need not be requested a second time.
func TestTestClock_InterruptedAdvanceGoesOn(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) {
		if n == 1 {
			return contract.StepResult{}, errors.New("a subscription does not answer")
		}
		return contract.StepResult{Done: true}, nil
	}}
	env := clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.EqualValues(t, 2, f.steps.Load())
}

func TestTestClock_LongAdvanceContinuesAsNewEvery200Steps(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) { return contract.StepResult{Done: n == 450}, nil }}
	in, runs := contract.TestClockInput{Ref: clockRef}, 0
	for ; ; runs++ {
		env := clockwork(t, f)
		env.ExecuteWorkflow(contract.TestClockWorkflow, in)
		require.True(t, env.IsWorkflowCompleted())
		if env.GetWorkflowError() == nil {
			break
		}
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, env.GetWorkflowError(), &again)
		in = contract.TestClockInput{}
		require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
	}
	require.Equal(t, 2, runs)
	require.EqualValues(t, 450, f.steps.Load())
}

// A signal for an advance while the clock moves makes the run look once more before it ends.
func TestTestClock_AdvanceWhileTheClockMovesIsFollowed(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) {
		if n == 1 {
			advance(env)
		}
		return contract.StepResult{Done: n >= 3}, nil
	}}
	env = clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.EqualValues(t, 4, f.steps.Load())
}

// A signal at the end of a run that continues as new is not lost either: the next run begins with a step.
func TestTestClock_AdvanceAtTheEndOfARunIsFollowed(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) {
		if n == 200 {
			advance(env)
		}
		return contract.StepResult{Done: n == 200 || n == 201}, nil
	}}
	env = clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &again)
	env = clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.EqualValues(t, 201, f.steps.Load())
}

type fakeReconciler struct {
	passes atomic.Int64
	more   int64
	fail   int64
}

func (f *fakeReconciler) Reconcile(context.Context) (contract.ReconcileResult, error) {
	n := f.passes.Add(1)
	if n <= f.fail {
		return contract.ReconcileResult{}, errors.New("the database is away")
	}
	return contract.ReconcileResult{Started: 10, Signalled: 1, Late: int(n), Purged: 2, More: n < f.more}, nil
}

func TestReconciler_MakesPassesUntilNoBatchIsFull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		more, fail, passes int64
		want               contract.ReconcileResult
	}{
		"one pass":          {1, 0, 1, contract.ReconcileResult{Started: 10, Signalled: 1, Late: 1, Purged: 2}},
		"three passes":      {3, 0, 3, contract.ReconcileResult{Started: 30, Signalled: 3, Late: 3, Purged: 6}},
		"the database away": {1, 2, 3, contract.ReconcileResult{Started: 10, Signalled: 1, Late: 3, Purged: 2}},
		"an endless backlog": {1_000, 0, 100, contract.ReconcileResult{
			Started: 1000, Signalled: 100, Late: 100, Purged: 200,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(devstack.Silent{})
			env := suite.NewTestWorkflowEnvironment()
			env.RegisterWorkflowWithOptions(workflows.Reconciler, workflow.RegisterOptions{Name: contract.ReconcilerWorkflow})
			f := &fakeReconciler{more: c.more, fail: c.fail}
			env.RegisterActivityWithOptions(f.Reconcile, activity.RegisterOptions{Name: contract.ActivityReconcile})
			env.ExecuteWorkflow(contract.ReconcilerWorkflow)
			requireCompleted(t, env)
			var got contract.ReconcileResult
			require.NoError(t, env.GetWorkflowResult(&got))
			require.Equal(t, c.want, got)
			require.Equal(t, c.passes, f.passes.Load())
		})
	}
}
