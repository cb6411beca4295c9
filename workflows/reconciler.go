package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

const (
	clockRetry      = 5 * time.Second
	reconcilePasses = 100 // of one run; the Schedule starts the next
)

// Reconciler makes passes until one finds no full batch. A Schedule runs it every 30 s; overlapping runs are skipped.
func Reconciler(ctx workflow.Context) (contract.ReconcileResult, error) {
	var total contract.ReconcileResult
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: 2 * time.Minute, HeartbeatTimeout: 30 * time.Second,
		RetryPolicy: forever(10 * time.Second), Summary: "compare the rows with what is under way",
	})
	for range reconcilePasses {
		var pass contract.ReconcileResult
		if err := workflow.ExecuteActivity(ctx, contract.ActivityReconcile).Get(ctx, &pass); err != nil {
			return total, err
		}
		total.Started += pass.Started
		total.Signalled += pass.Signalled
		total.Purged += pass.Purged
		total.Unclaimed += pass.Unclaimed
		total.Unanswered += pass.Unanswered
		total.Late = pass.Late
		if !pass.More {
			break
		}
	}
	return total, nil
}
