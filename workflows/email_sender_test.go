package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/workflows"
)

// mailStage plays a sender's workflow against an activity that answers by the list; at has when it was asked.
func mailStage(
	t *testing.T, answer func(n int, now time.Time) contract.SendOutput,
) (env *testsuite.TestWorkflowEnvironment, at *[]time.Duration) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	env, at = suite.NewTestWorkflowEnvironment(), new([]time.Duration)
	env.RegisterWorkflowWithOptions(workflows.EmailSender, workflow.RegisterOptions{Name: contract.EmailSenderWorkflow})
	began := env.Now()
	env.RegisterActivityWithOptions(func(ctx context.Context, ref contract.Ref) (contract.SendOutput, error) {
		require.Equal(t, contract.Ref{EnvironmentID: "env_1", ID: "ems_1"}, ref)
		require.Equal(t, contract.QueueEmails, activity.GetInfo(ctx).TaskQueue)
		*at = append(*at, env.Now().Sub(began).Round(time.Second))
		return answer(len(*at), env.Now()), nil
	}, activity.RegisterOptions{Name: contract.ActivitySendDue})
	return env, at
}

var senderInput = contract.EmailSenderInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "ems_1"}}

func TestEmailSender_SleepsUntilARetryOrASignal(t *testing.T) {
	t.Parallel()
	env, at := mailStage(t, func(n int, now time.Time) contract.SendOutput {
		switch n {
		case 1:
			return contract.SendOutput{NextAt: now.Add(5 * time.Minute), Waiting: 1, Trouble: "unreachable"}
		case 4:
			return contract.SendOutput{Gone: true}
		}
		return contract.SendOutput{}
	})
	for _, d := range []time.Duration{time.Hour, 30 * time.Hour} {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(contract.SignalWake, nil) }, d)
	}
	env.ExecuteWorkflow(workflows.EmailSender, senderInput)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 5 * time.Minute, time.Hour, 30 * time.Hour}, *at)
}

// A signal that comes while the last mails are canceled may be of a sender that was set up again.
func TestEmailSender_LooksAgainWhereItWasWokenMeanwhile(t *testing.T) {
	t.Parallel()
	var env *testsuite.TestWorkflowEnvironment
	env, at := mailStage(t, func(n int, _ time.Time) contract.SendOutput {
		if n == 1 {
			env.SignalWorkflow(contract.SignalWake, nil)
		}
		return contract.SendOutput{Gone: true}
	})
	env.ExecuteWorkflow(workflows.EmailSender, senderInput)
	require.NoError(t, env.GetWorkflowError())
	require.Len(t, *at, 2)
}

func TestEmailSender_ContinuesAsNew(t *testing.T) {
	t.Parallel()
	env, at := mailStage(t, func(_ int, now time.Time) contract.SendOutput {
		return contract.SendOutput{NextAt: now.Add(time.Second)}
	})
	env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 20*time.Second)
	env.ExecuteWorkflow(workflows.EmailSender, senderInput)
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &again)
	require.Greater(t, len(*at), 10)
}
