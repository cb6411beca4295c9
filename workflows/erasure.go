package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

const (
	eraseRetry    = 5 * time.Second
	eraseLimit    = 60 * time.Second // one batch
	batchesPerRun = 200
)

// Erasure erases the data of a deleted customer, or of the customers of a deleted test clock, batch by batch. The row
// of the erasure has its progress, so that a new run continues where the last one ended.
func Erasure(ctx workflow.Context, in contract.ErasureInput) error {
	if in.Shown.CustomerID == "" {
		in.Shown.CustomerID = in.CustomerID
	}
	for batches := 1; ; batches++ {
		out, err := eraseBatch(ctx, in)
		if err != nil {
			return err
		}
		if out.Absent {
			workflow.SetCurrentDetails(ctx, absentDetails)
			return workflow.UpsertTypedSearchAttributes(ctx, contract.SearchStatus.ValueSet(statusAbsent))
		}
		if err := showErasure(ctx, in.Shown, out); err != nil {
			return err
		}
		in.Shown = out
		if out.Done {
			return nil
		}
		if batches >= batchesPerRun || workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, Erasure, in)
		}
	}
}

func eraseBatch(ctx workflow.Context, in contract.ErasureInput) (contract.EraseResult, error) {
	what := string(in.Shown.Stage)
	if what == "" {
		what = "the first rows"
	}
	options := workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: eraseLimit, HeartbeatTimeout: silence,
		RetryPolicy: forever(eraseRetry), Summary: "erase a batch: " + what,
	}
	var out contract.EraseResult
	ctx = workflow.WithActivityOptions(ctx, options)
	err := workflow.ExecuteActivity(ctx, contract.ActivityEraseBatch, in.Ref).Get(ctx, &out)
	return out, err
}

// showErasure shows operators the next stage, and makes the run searchable by customer and stage.
func showErasure(ctx workflow.Context, before, now contract.EraseResult) error {
	of := now.CustomerID
	if of == "" {
		of = "the customers of " + now.TestClockID
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("- **Erases**: %s\n- **Stage**: %s\n", of, now.Stage))
	if now.Stage == before.Stage {
		return nil
	}
	changes := []temporal.SearchAttributeUpdate{contract.SearchNextAction.ValueSet("erase_" + string(now.Stage))}
	if now.Done {
		changes = []temporal.SearchAttributeUpdate{
			contract.SearchStatus.ValueSet("erased"), contract.SearchNextAction.ValueSet("none"),
		}
	}
	if now.CustomerID != before.CustomerID {
		changes = append(changes, contract.SearchCustomer.ValueSet(now.CustomerID))
	}
	return workflow.UpsertTypedSearchAttributes(ctx, changes...)
}
