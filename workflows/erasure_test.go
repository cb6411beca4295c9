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

	"perennial/billing/erasure"
	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/workflows"
)

// fakeErasures are the batches of an erasure without a database.
type fakeErasures struct {
	batch func(n int) (contract.EraseResult, error)
	count atomic.Int64
}

func (f *fakeErasures) EraseBatch(context.Context, contract.Ref) (contract.EraseResult, error) {
	return f.batch(int(f.count.Add(1)))
}

var erasing = contract.ErasureInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "era_1"}, CustomerID: "cust_1"}

func eraser(t *testing.T, f *fakeErasures) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(noon)
	env.SetTestTimeout(20 * time.Second)
	env.RegisterWorkflowWithOptions(workflows.Erasure, workflow.RegisterOptions{Name: contract.ErasureWorkflow})
	env.RegisterActivityWithOptions(f.EraseBatch, activity.RegisterOptions{Name: contract.ActivityEraseBatch})
	return env
}

func brought(s erasure.Stage) contract.EraseResult {
	return contract.EraseResult{CustomerID: "cust_1", Stage: s, Done: s == erasure.Finished}
}

// The database is away in the middle: the batch is repeated until it is back.
func TestErasure_BatchAfterBatchUntilFinished(t *testing.T) {
	t.Parallel()
	stages := []erasure.Stage{
		erasure.Subscriptions, erasure.Invoices, erasure.Transactions, erasure.Events, erasure.Responses, erasure.Finished,
	}
	away, next := 3, 0
	f := &fakeErasures{}
	env := eraser(t, f)
	f.batch = func(int) (contract.EraseResult, error) {
		if next == 2 && away > 0 {
			away--
			return contract.EraseResult{}, errors.New("the database is away")
		}
		next++
		return brought(stages[next-1]), nil
	}
	env.ExecuteWorkflow(contract.ErasureWorkflow, erasing)
	requireCompleted(t, env)
	require.Equal(t, len(stages), next)
	require.EqualValues(t, len(stages)+3, f.count.Load())
}

func TestErasure_ContinuesAsNewAfter200Batches(t *testing.T) {
	t.Parallel()
	f := &fakeErasures{batch: func(n int) (contract.EraseResult, error) {
		if n == 450 {
			return brought(erasure.Finished), nil
		}
		return brought(erasure.Subscriptions), nil
	}}
	in, runs := erasing, 1
	for ; ; runs++ {
		env := eraser(t, f)
		env.ExecuteWorkflow(contract.ErasureWorkflow, in)
		require.True(t, env.IsWorkflowCompleted())
		if env.GetWorkflowError() == nil {
			break
		}
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, env.GetWorkflowError(), &again)
		in = contract.ErasureInput{}
		require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(again.Input, &in))
		require.Equal(t, brought(erasure.Subscriptions), in.Shown)
	}
	require.Equal(t, 3, runs)
	require.EqualValues(t, 450, f.count.Load())
}
