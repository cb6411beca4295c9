// Package workflows owns when and in what order things happen: one durable workflow per subscription, per transaction
// that no subscription owns, per advancing test clock, per erasure, and the reconciler. It decides nothing about money
// (billing) and touches nothing outside (activities). Everything here is deterministic.
package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// Presets by meaning. Infrastructure is retried for ever: a database that is away must delay a renewal, never end a
// subscription. MaximumInterval is always set, since the test environment reads an absent one as "no backoff".
const (
	localPatience = 5 * time.Second  // a local activity that fails for longer runs as a normal one
	databaseCall  = 15 * time.Second // one transaction
	// providerCall is 45 s of requests at most (activities.callInTime) and two transactions around them: Temporal must
	// not give up an exchange whose request is still open, since its repeat would run concurrently.
	providerCall   = 60 * time.Second
	clockStepLimit = 5 * time.Minute
	// exchangeLimit ends the repeats of an exchange that a subscription waits for, including its wait for a worker;
	// then the workflow begins it again. It allows a run that is about to end to leave the next boundary to the next
	// run.
	exchangeLimit = 6 * time.Hour
	// silence is the time after which a worker counts as dead, and its activities are given to another. Workers beat
	// while an activity runs (worker/heartbeat.go).
	silence = 10 * time.Second
)

func forever(maximum time.Duration) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: maximum}
}

// inDatabase runs one repeatable transaction: as a local activity, which costs one marker and no round trip to a queue,
// and as a normal activity where the database is away for longer than a workflow task should wait.
func inDatabase[Out any](ctx workflow.Context, summary string, activity any, args ...any) (Out, error) {
	var out Out
	local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: localPatience, StartToCloseTimeout: localPatience, RetryPolicy: forever(time.Second),
		Summary: summary,
	})
	err := workflow.ExecuteLocalActivity(local, activity, args...).Get(ctx, &out)
	if err == nil || temporal.IsCanceledError(err) {
		return out, err
	}
	normal := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: databaseCall, RetryPolicy: forever(time.Minute),
		Summary: summary,
	})
	err = workflow.ExecuteActivity(normal, activity, args...).Get(ctx, &out)
	return out, err
}

// atProvider starts an exchange with a provider and does not wait for it. limit ends its repeats; 0: never.
func atProvider(ctx workflow.Context, summary string, limit time.Duration, in contract.ResolveInput) workflow.Future {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: contract.QueuePayments, ScheduleToCloseTimeout: limit, StartToCloseTimeout: providerCall,
		HeartbeatTimeout: silence, RetryPolicy: forever(time.Minute), Summary: summary,
	}), contract.ActivityCharge, in)
}
