package workflows_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
	"perennial/internal/devstack"
	"perennial/internal/testkit/receiver"
	"perennial/workflows"
)

var endpointRef = contract.Ref{EnvironmentID: "env_1", ID: "whe_1"}

// looks plays an endpoint's workflow against an activity that answers by the list; it returns when it was asked, and in
// which lane.
type looks struct {
	env   *testsuite.TestWorkflowEnvironment
	at    []time.Duration
	lanes []string
}

func endpointStage(t *testing.T, answer func(n int, now time.Time) contract.DeliverOutput) *looks {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(devstack.Silent{})
	l := &looks{env: suite.NewTestWorkflowEnvironment()}
	l.env.RegisterWorkflowWithOptions(workflows.WebhookEndpoint,
		workflow.RegisterOptions{Name: contract.WebhookEndpointWorkflow})
	began := l.env.Now()
	l.env.RegisterActivityWithOptions(func(ctx context.Context, in contract.DeliverInput) (contract.DeliverOutput, error) {
		l.at = append(l.at, l.env.Now().Sub(began).Round(time.Second))
		queue := activity.GetInfo(ctx).TaskQueue
		require.Equal(t, in.Slow, queue == contract.QueueWebhooksSlow)
		l.lanes = append(l.lanes, queue)
		return answer(len(l.at), l.env.Now()), nil
	}, activity.RegisterOptions{Name: contract.ActivityDeliverDue})
	return l
}

func (l *looks) run() {
	l.env.ExecuteWorkflow(workflows.WebhookEndpoint, contract.WebhookEndpointInput{Ref: endpointRef})
}

func TestWebhookEndpoint_SleepsUntilARetryOrASignal(t *testing.T) {
	t.Parallel()
	l := endpointStage(t, func(n int, now time.Time) contract.DeliverOutput {
		switch n {
		case 1:
			return contract.DeliverOutput{NextAt: now.Add(10 * time.Minute)}
		case 4:
			return contract.DeliverOutput{Gone: true}
		}
		return contract.DeliverOutput{}
	})
	for _, at := range []time.Duration{time.Hour, 30 * time.Hour} {
		l.env.RegisterDelayedCallback(func() { l.env.SignalWorkflow(contract.SignalWake, nil) }, at)
	}
	l.run()
	require.NoError(t, l.env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 10 * time.Minute, time.Hour, 30 * time.Hour}, l.at)
}

func TestWebhookEndpoint_SlowReceiversHaveALaneOfTheirOwn(t *testing.T) {
	t.Parallel()
	l := endpointStage(t, func(n int, now time.Time) contract.DeliverOutput {
		return contract.DeliverOutput{NextAt: now.Add(time.Second), Slow: n < 3, Gone: n == 4}
	})
	l.run()
	fast, slow := contract.QueueWebhooks, contract.QueueWebhooksSlow
	require.Equal(t, []string{fast, slow, slow, fast}, l.lanes)
}

func TestWebhookEndpoint_LooksAgainAfterASignalThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	var l *looks
	l = endpointStage(t, func(n int, _ time.Time) contract.DeliverOutput {
		if n == 1 {
			l.env.SignalWorkflow(contract.SignalWake, nil)
		}
		return contract.DeliverOutput{Gone: true}
	})
	l.run()
	require.NoError(t, l.env.GetWorkflowError())
	require.Len(t, l.at, 2, "an endpoint that was enabled again at the last moment")
}

func TestWebhookEndpoint_ContinuesAsNew(t *testing.T) {
	t.Parallel()
	l := endpointStage(t, func(_ int, now time.Time) contract.DeliverOutput {
		return contract.DeliverOutput{NextAt: now.Add(time.Hour), Slow: true}
	})
	l.env.SetContinueAsNewSuggested(true)
	l.run()
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, l.env.GetWorkflowError(), &next)
	require.Len(t, l.at, 1)
}

// One endpoint's life: events that come together and apart, a failure, a retry, the end.
func recordWebhookEndpoint(t *testing.T, r *liveScene) (string, string) {
	inbox := receiver.New(t)
	busy := http.Header{"Retry-After": {"1"}}
	ref := r.Endpoint(t, inbox.Endpoint("/golden", receiver.Status(200), receiver.Answer(503, busy, ""),
		receiver.Status(200)), "plan.*")
	r.Announce(t, 1)
	inbox.Wait(t, "/golden", 1, 30*time.Second)
	r.Announce(t, 3)
	r.AllDelivered(t, 30*time.Second)
	r.eventually(t, func() bool { return asleep(r.history(t, ref.ID, "")) })
	r.disable(t, ref)
	r.completed(t, ref.ID)
	return ref.ID, ""
}
