package workflows_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/workflows"
)

// fakeClocks are the activities of a test clock without a database.
type fakeClocks struct {
	begin    func(contract.AdvanceInput) (contract.AdvanceResult, error)
	step     func(n int) (contract.StepResult, error)
	finish   func(blockedBy []string) error
	steps    atomic.Int64
	finished atomic.Int64
}

func (f *fakeClocks) BeginAdvance(_ context.Context, in contract.AdvanceInput) (contract.AdvanceResult, error) {
	if f.begin == nil {
		return contract.AdvanceResult{}, nil
	}
	return f.begin(in)
}

func (f *fakeClocks) StepClock(context.Context, contract.Ref) (contract.StepResult, error) {
	return f.step(int(f.steps.Add(1)))
}

func (f *fakeClocks) FinishAdvance(_ context.Context, _ contract.Ref, blockedBy []string) error {
	f.finished.Add(1)
	if f.finish == nil {
		return nil
	}
	return f.finish(blockedBy)
}

var clockRef = contract.Ref{EnvironmentID: "env_1", ID: "clk_1"}

func clockwork(t *testing.T, f *fakeClocks) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetTestTimeout(20 * time.Second)
	env.RegisterWorkflowWithOptions(workflows.TestClock, workflow.RegisterOptions{Name: contract.TestClockWorkflow})
	env.RegisterActivity(f)
	return env
}

// advance asks for one; what is answered is in the result when the workflow has ended.
func advance(env *testsuite.TestWorkflowEnvironment, id string) (result *contract.AdvanceResult, failed *error) {
	result, failed = &contract.AdvanceResult{}, new(error)
	*failed = errors.New("not answered")
	env.UpdateWorkflow(contract.UpdateAdvance, id, &testsuite.TestUpdateCallback{
		OnAccept: func() {},
		OnReject: func(err error) { *failed = err },
		OnComplete: func(out any, err error) {
			*failed = err
			if r, ok := out.(contract.AdvanceResult); ok {
				*result = r
			}
		},
	}, contract.Advance{CommandID: id, To: noon.AddDate(1, 0, 0)})
	return result, failed
}

func TestAClockStepsUntilItIsThere(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) { return contract.StepResult{Done: n == 13}, nil }}
	env := clockwork(t, f)
	var failed *error
	env.RegisterDelayedCallback(func() { _, failed = advance(env, "cmd_1") }, 0)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.NoError(t, *failed)
	require.EqualValues(t, 13, f.steps.Load())
	require.EqualValues(t, 1, f.finished.Load())
}

func TestARefusedAdvanceMovesNothing(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{begin: func(contract.AdvanceInput) (contract.AdvanceResult, error) {
		return contract.AdvanceResult{Refusal: &contract.Refusal{Code: "test_clock_backwards"}}, nil
	}}
	env := clockwork(t, f)
	var result *contract.AdvanceResult
	env.RegisterDelayedCallback(func() { result, _ = advance(env, "cmd_1") }, 0)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef})
	requireCompleted(t, env)
	require.Equal(t, "test_clock_backwards", result.Refusal.Code)
	require.Zero(t, f.steps.Load())
	require.Zero(t, f.finished.Load())
}

func TestABlockedClockStopsAndNamesThePayment(t *testing.T) {
	t.Parallel()
	var named []string
	f := &fakeClocks{
		step: func(n int) (contract.StepResult, error) {
			if n == 3 {
				return contract.StepResult{BlockedBy: []string{"txn_1"}}, nil
			}
			return contract.StepResult{}, nil
		},
		finish: func(blockedBy []string) error { named = blockedBy; return nil },
	}
	env := clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef, Busy: true})
	requireCompleted(t, env)
	require.Equal(t, []string{"txn_1"}, named)
	require.EqualValues(t, 3, f.steps.Load())
}

// The reconciler starts an interrupted advance again: nobody has to ask for it a second time.
func TestAnInterruptedAdvanceGoesOn(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) {
		if n == 1 {
			return contract.StepResult{}, errors.New("a subscription does not answer")
		}
		return contract.StepResult{Done: true}, nil
	}}
	env := clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef, Busy: true})
	requireCompleted(t, env)
	require.EqualValues(t, 2, f.steps.Load())
	require.EqualValues(t, 1, f.finished.Load())
}

func TestALongAdvanceContinuesAsNewEvery200Steps(t *testing.T) {
	t.Parallel()
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) { return contract.StepResult{Done: n == 450}, nil }}
	in, runs := contract.TestClockInput{Ref: clockRef, Busy: true}, 0
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

// A run that is finishing takes no advance; its caller repeats it and finds the next run.
func TestADrainingClockRefusesRetryably(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	var failed *error
	f := &fakeClocks{
		step: func(int) (contract.StepResult, error) { return contract.StepResult{Done: true}, nil },
		finish: func([]string) error {
			_, failed = advance(env, "cmd_2")
			return nil
		},
	}
	env = clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef, Busy: true})
	requireCompleted(t, env)
	var app *temporal.ApplicationError
	require.ErrorAs(t, *failed, &app)
	require.Equal(t, contract.ErrorDraining, app.Type())
}

// An advance to the same target while the clock moves is the same advance.
func TestASecondAdvanceIsAnsweredWhileTheClockMoves(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	var failed *error
	f := &fakeClocks{step: func(n int) (contract.StepResult, error) {
		if n == 1 {
			_, failed = advance(env, "cmd_2")
		}
		return contract.StepResult{Done: n == 3}, nil
	}}
	env = clockwork(t, f)
	env.ExecuteWorkflow(contract.TestClockWorkflow, contract.TestClockInput{Ref: clockRef, Busy: true})
	requireCompleted(t, env)
	require.NoError(t, *failed)
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

func TestTheReconcilerMakesPassesUntilNoBatchIsFull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		more, fail, passes int64
		want               contract.ReconcileResult
	}{
		"one pass":           {1, 0, 1, contract.ReconcileResult{Started: 10, Signalled: 1, Late: 1, Purged: 2}},
		"three passes":       {3, 0, 3, contract.ReconcileResult{Started: 30, Signalled: 3, Late: 3, Purged: 6}},
		"the database away":  {1, 2, 3, contract.ReconcileResult{Started: 10, Signalled: 1, Late: 3, Purged: 2}},
		"an endless backlog": {1_000, 0, 100, contract.ReconcileResult{Started: 1000, Signalled: 100, Late: 100, Purged: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(silent{})
			env := suite.NewTestWorkflowEnvironment()
			env.RegisterWorkflowWithOptions(workflows.Reconciler, workflow.RegisterOptions{Name: contract.ReconcilerWorkflow})
			f := &fakeReconciler{more: c.more, fail: c.fail}
			env.RegisterActivity(f)
			env.ExecuteWorkflow(contract.ReconcilerWorkflow)
			requireCompleted(t, env)
			var got contract.ReconcileResult
			require.NoError(t, env.GetWorkflowResult(&got))
			require.Equal(t, c.want, got)
			require.Equal(t, c.passes, f.passes.Load())
		})
	}
}
