package worker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

func TestHeartbeat_LongActivityLives(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(sdk.Options{Interceptors: []interceptor.WorkerInterceptor{&heartbeatInterceptor{}}})
	beat := make(chan struct{}, 1)
	env.SetOnActivityHeartbeatListener(func(*activity.Info, converter.EncodedValues) {
		select {
		case beat <- struct{}{}:
		default:
		}
	})
	slow := func(context.Context) error { <-beat; return nil } // ends only because of a beat
	env.RegisterActivity(slow)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Second,
		}), slow).Get(ctx, nil)
	})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

func TestHeartbeat_StalledProcessIsNotDead(t *testing.T) {
	t.Parallel()
	const timeout = 10 * time.Second // of an exchange with a provider
	apart := (&Worker{}).options(nil).MaxHeartbeatThrottleInterval
	require.Positive(t, apart, "the SDK holds beats back for 80 % of the timeout")
	onTheWay := apart / 2 // the SDK gives up a beat after this, and then the activity
	require.GreaterOrEqual(t, timeout-apart, 3*time.Second)
	require.GreaterOrEqual(t, onTheWay, 3*time.Second)
}
