package worker

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.uber.org/zap"

	"perennial/billing/fault"
)

// faultInterceptor turns the faults of activities into application errors whose type is the fault's code, so that an
// operator reads the reason in the Temporal UI. The cause stays in the log: it may quote data that must not be in a
// history. Every fault is retryable: refusals by the rules are returned as values, and the remaining faults pass or are
// fixed.
type faultInterceptor struct {
	interceptor.WorkerInterceptorBase
	logger *zap.Logger
}

func (f *faultInterceptor) InterceptActivity(
	_ context.Context, next interceptor.ActivityInboundInterceptor,
) interceptor.ActivityInboundInterceptor {
	i := &faultActivity{logger: f.logger}
	i.Next = next
	return i
}

type faultActivity struct {
	interceptor.ActivityInboundInterceptorBase
	logger *zap.Logger
}

// ExecuteActivity runs the activity and translates its error.
func (a *faultActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := a.Next.ExecuteActivity(ctx, in)
	var app *temporal.ApplicationError
	if err == nil || errors.Is(err, context.Canceled) {
		return out, err
	}
	info := activity.GetInfo(ctx)
	if errors.As(err, &app) && app.Category() == temporal.ApplicationErrorCategoryBenign { // it waits, and repeats itself
		level := zap.DebugLevel
		if info.Attempt == 1 {
			level = zap.InfoLevel
		}
		a.logger.Log(level, "activity waits", zap.String("activity", info.ActivityType.Name),
			zap.Int32("attempt", info.Attempt),
			zap.String("workflowId", info.WorkflowExecution.ID), zap.String("code", app.Type()),
			zap.String("waitsFor", app.Message()),
			zap.Duration("next", app.NextRetryDelay()))
		return out, err
	}
	f := fault.From(err)
	a.logger.Warn("activity failed", zap.String("activity", info.ActivityType.Name), zap.Int32("attempt", info.Attempt),
		zap.String("workflowId", info.WorkflowExecution.ID), zap.String("code", f.Code), zap.Error(err))
	if errors.As(err, &app) {
		return out, err
	}
	return out, temporal.NewApplicationErrorWithOptions(f.Detail, f.Code, temporal.ApplicationErrorOptions{})
}
