package bare

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Payment is one activity whose only work is the call to the provider.
func Payment(ctx workflow.Context) error {
	paying := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: QueuePayments, StartToCloseTimeout: time.Minute,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumInterval: time.Minute},
	})
	return workflow.ExecuteActivity(paying, player.Pay).Get(ctx, nil)
}

// Pay makes the recorded call, with its own key.
func (a *Activities) Pay(ctx context.Context) error {
	return a.Script.Call.Send(ctx, a.HTTP, a.Simulator, Vars{})
}

// PayAndWait starts a payment and waits for its end.
func PayAndWait(ctx context.Context, c client.Client, id string) error {
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: QueueBilling}, Payment)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}
