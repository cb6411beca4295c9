package engine

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"perennial/contract"
)

// call is one update-with-start.
type call struct {
	options  client.StartWorkflowOptions
	workflow string
	input    any
	update   string
	updateID string
	argument any
}

// update performs a call within the budget.
func (e *Engine) update(ctx context.Context, c call, out any) error {
	ctx, cancel := context.WithTimeout(ctx, e.budget)
	defer cancel()
	return e.updateUntil(ctx, c, out)
}

// updateUntil performs a call until ctx ends. A run that is about to continue as new, or is just starting, refuses for
// a moment; the same update id makes asking again safe within a run, and the command id across runs.
func (e *Engine) updateUntil(ctx context.Context, c call, out any) error {
	for pause := 20 * time.Millisecond; ; pause = min(pause*2, 500*time.Millisecond) {
		err := e.updateOnce(ctx, c, out)
		if !refusedForNow(err) || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func (e *Engine) updateOnce(ctx context.Context, c call, out any) error {
	start := e.client.NewWithStartWorkflowOperation(c.options, c.workflow, c.input)
	handle, err := e.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: c.updateID, UpdateName: c.update, Args: []any{c.argument}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, out)
}

// refusedForNow tells whether the workflow said "not now": it drains before continuing as new, or has just closed.
func refusedForNow(err error) bool {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Type() == contract.ErrorDraining || app.Type() == "AcceptedUpdateCompletedWorkflow"
	}
	var notReady *serviceerror.WorkflowNotReady
	var aborted *serviceerror.Aborted
	var exhausted *serviceerror.ResourceExhausted
	return errors.As(err, &notReady) || errors.As(err, &aborted) || errors.As(err, &exhausted)
}

func subscriptionOptions(in contract.SubscriptionInput) client.StartWorkflowOptions {
	attributes := []temporal.SearchAttributeUpdate{contract.SearchEnvironment.ValueSet(in.Ref.EnvironmentID)}
	summary := "Subscription"
	if s := in.Snapshot; s != nil {
		summary = "Subscription of " + s.CustomerID + " to " + s.PlanID
		attributes = append(attributes,
			contract.SearchCustomer.ValueSet(s.CustomerID), contract.SearchPlan.ValueSet(s.PlanID),
			contract.SearchStatus.ValueSet(s.Status), contract.SearchNextAction.ValueSet(s.NextAction))
	}
	return client.StartWorkflowOptions{
		ID: contract.SubscriptionWorkflowID(in.Ref.ID), TaskQueue: contract.QueueBilling,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		TypedSearchAttributes:    temporal.NewSearchAttributes(attributes...),
		StaticSummary:            summary,
		Priority:                 fair(in.Ref.EnvironmentID),
	}
}

func paymentOptions(in contract.PaymentInput) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: contract.PaymentWorkflowID(in.Ref.ID), TaskQueue: contract.QueueBilling,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		TypedSearchAttributes:    temporal.NewSearchAttributes(contract.SearchEnvironment.ValueSet(in.Ref.EnvironmentID)),
		StaticSummary:            "Payment of its own",
		Priority:                 fair(in.Ref.EnvironmentID),
	}
}

func clockOptions(ref contract.Ref) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: contract.TestClockWorkflowID(ref.ID), TaskQueue: contract.QueueBilling,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes:    temporal.NewSearchAttributes(contract.SearchEnvironment.ValueSet(ref.EnvironmentID)),
		StaticSummary:            "Test clock",
		Priority:                 fair(ref.EnvironmentID),
	}
}

// fair shares the workers between environments, whoever has more to do.
func fair(env string) temporal.Priority { return temporal.Priority{PriorityKey: 3, FairnessKey: env} }
