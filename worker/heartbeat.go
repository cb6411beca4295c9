package worker

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// heartbeatInterceptor beats for every activity that has a heartbeat timeout while it runs, so that the activities of a
// killed worker are given to another one after that timeout and not after the much longer one of the activity itself. A
// beat shows only that the process lives; an activity that ends before the first beat costs no request.
type heartbeatInterceptor struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (*heartbeatInterceptor) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &beatingActivity{}
	i.Next = next
	return i
}

type beatingActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

const (
	beatsPerTimeout = 3
	// beatThrottle is the least gap between two beats that leave the process; the SDK holds back those that come
	// sooner. By default that is 80 % of the timeout, so that a stall of 2 s in 10 would look like a death. Half of the
	// gap also bounds the time of one beat; a longer one cancels the activity, so that a smaller gap would be worse. At
	// 6 s of 10, a stalled process may lose four seconds and a stalled server three. An activity that is given to
	// another worker too early is repeated there under the same key: safe, but wasted.
	beatThrottle = 6 * time.Second
)

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
