package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	"perennial/contract"
	"perennial/internal/testkit"
)

func TestPauseAfter_DoublesAndSpreads(t *testing.T) {
	t.Parallel()
	exhausted := &serviceerror.ResourceExhausted{Message: "namespace rate limit exceeded"}
	between := func(err error, try int) (shortest, longest time.Duration) {
		return pauseAfter(err, try, 0), pauseAfter(err, try, 1)
	}
	for try, want := range []int{500, 1000, 2000, 4000, 5000, 5000} {
		shortest, longest := between(exhausted, try)
		require.EqualValues(t, want, longest.Milliseconds(), try)
		require.Equal(t, longest/2, shortest, "callers that were refused together come back apart")
	}
	for try, want := range []int{50, 100, 200, 400, 500, 500} {
		_, longest := between(errors.New("draining"), try)
		require.EqualValues(t, want, longest.Milliseconds(), "a run that continues as new is back in a moment")
	}
	require.Equal(t, longestPause, pauseAfter(exhausted, 1_000_000, 1))
}

// exhausted is a Temporal that has reached its limits.
type exhausted struct {
	interceptor.ClientInterceptorBase
	tries atomic.Int32
}

func (e *exhausted) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return &exhaustedCalls{ClientOutboundInterceptorBase: interceptor.ClientOutboundInterceptorBase{Next: next}, tries: &e.tries}
}

type exhaustedCalls struct {
	interceptor.ClientOutboundInterceptorBase
	tries *atomic.Int32
}

func (e *exhaustedCalls) UpdateWithStartWorkflow(
	context.Context, *interceptor.ClientUpdateWithStartWorkflowInput,
) (client.WorkflowUpdateHandle, error) {
	e.tries.Add(1)
	return nil, &serviceerror.ResourceExhausted{Message: "limit"}
}

func TestCommand_GivesAnExhaustedTemporalTime(t *testing.T) {
	t.Parallel()
	limits, n := &exhausted{}, testkit.Temporal(t)
	c, err := client.NewLazyClient(client.Options{
		HostPort: n.Address, Namespace: n.Name, Interceptors: []interceptor.ClientInterceptor{limits},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	in := contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: "env_1", ID: "sub_1"}}}
	_, err = New(c).Command(ctx, in, contract.Command{ID: "cmd_1", Name: contract.CommandCancel})
	require.ErrorIs(t, err, ErrUnavailable)
	require.GreaterOrEqual(t, limits.tries.Load(), int32(2))
	require.LessOrEqual(t, limits.tries.Load(), int32(5), "every 50 ms would be 40 tries")
}
