package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// heartbeatInterceptor beats for every activity that has a heartbeat timeout while it runs, so that what a killed worker
// had in hand is given to another one after that timeout and not after the much longer one of the activity itself. A
// beat tells that the process lives, nothing else; an activity that is done before the first beat costs no request.
type heartbeatInterceptor struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (*heartbeatInterceptor) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &beatingActivity{}
	i.Next = next
	return i
}

type beatingActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

// beatsPerTimeout leaves room for two beats that are lost or late.
const beatsPerTimeout = 3

// ExecuteActivity runs the activity and beats until it returns.
func (a *beatingActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	timeout := activity.GetInfo(ctx).HeartbeatTimeout
	if timeout <= 0 {
		return a.Next.ExecuteActivity(ctx, in)
	}
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(timeout / beatsPerTimeout)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-ticker.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	defer func() { close(done); <-stopped }()
	return a.Next.ExecuteActivity(ctx, in)
}
