package api

import (
	"context"
	"errors"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/fault"
	"perennial/contract"
)

const (
	// updateBudget is how long a command may take before the caller is told to repeat it.
	updateBudget = 10 * time.Second
	// drainPause is how long a workflow that is about to continue as new is given before the next try.
	drainPause = 50 * time.Millisecond
)

var errEngineUnavailable = fault.New(fault.Unavailable, "engine_unavailable",
	"the workflow engine did not answer in time; repeat the request with the same Idempotency-Key").After(2 * time.Second)

// Temporal is the Engine of production.
type Temporal struct {
	client client.Client
}

var _ Engine = (*Temporal)(nil)

// NewTemporal uses a client that the caller closes.
func NewTemporal(c client.Client) *Temporal { return &Temporal{client: c} }

// StartSubscription implements Engine.
func (t *Temporal) StartSubscription(ctx context.Context, in SubscriptionStart) error {
	_, err := t.client.ExecuteWorkflow(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in.Input)
	return ignoreFinished(engineError(err))
}

// Command implements Engine.
func (t *Temporal) Command(ctx context.Context, in SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
	o := subscriptionOptions(in)
	if cmd.Name == contract.CommandPay {
		// A finished subscription may have left invoices open, which stay payable: its workflow collects once more.
		o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	return update[contract.CommandResult](ctx, t.client, contract.UpdateCommand, cmd.ID, cmd, func() client.WithStartWorkflowOperation {
		return t.client.NewWithStartWorkflowOperation(o, contract.SubscriptionWorkflow, in.Input)
	})
}

// Advance implements Engine.
func (t *Temporal) Advance(ctx context.Context, ref contract.Ref, advance contract.Advance) (contract.AdvanceResult, error) {
	return update[contract.AdvanceResult](ctx, t.client, contract.UpdateAdvance, advance.CommandID, advance, func() client.WithStartWorkflowOperation {
		o := options(contract.TestClockWorkflowID(ref.ID), ref.EnvironmentID, "Test clock")
		// A clock's workflow ends with each advance: the next one is a new run.
		o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
		return t.client.NewWithStartWorkflowOperation(o, contract.TestClockWorkflow, contract.TestClockInput{Ref: ref})
	})
}

// Wake implements Engine.
func (t *Temporal) Wake(ctx context.Context, ref contract.Ref) error {
	err := t.client.SignalWorkflow(ctx, contract.SubscriptionWorkflowID(ref.ID), "", contract.SignalWake, nil)
	return engineError(err)
}

// Check implements Engine.
func (t *Temporal) Check(ctx context.Context, owner Owner, check contract.Check) error {
	if owner.SubscriptionID != "" {
		err := t.client.SignalWorkflow(ctx, contract.SubscriptionWorkflowID(owner.SubscriptionID), "", contract.SignalCheck, check)
		var gone *serviceerror.NotFound
		if !errors.As(err, &gone) {
			return engineError(err)
		}
	}
	in := contract.PaymentInput{Ref: contract.Ref{EnvironmentID: owner.EnvironmentID, ID: owner.TransactionID}}
	o := paymentOptions(in)
	// A callback may come long after the payment's workflow has ended: it is worth a new run.
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	_, err := t.client.SignalWithStartWorkflow(ctx, o.ID, contract.SignalCheck, check, o, contract.PaymentWorkflow, in)
	return engineError(err)
}

// StartPayment implements Engine.
func (t *Temporal) StartPayment(ctx context.Context, in contract.PaymentInput) error {
	_, err := t.client.ExecuteWorkflow(ctx, paymentOptions(in), contract.PaymentWorkflow, in)
	return ignoreFinished(engineError(err))
}

// options are what all our workflows have in common. A workflow that failed or was terminated may be started again, one
// that ended well may not: a finished subscription stays finished.
func options(id, environmentID, summary string, attributes ...temporal.SearchAttributeUpdate) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                contract.QueueBilling,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			append(attributes, contract.SearchEnvironment.ValueSet(environmentID))...),
		StaticSummary: summary,
		Priority:      temporal.Priority{FairnessKey: environmentID}, // no environment holds up another
	}
}

func subscriptionOptions(in SubscriptionStart) client.StartWorkflowOptions {
	ref := in.Input.Ref
	return options(contract.SubscriptionWorkflowID(ref.ID), ref.EnvironmentID, "Subscription of "+in.CustomerID+" to "+in.PlanID,
		contract.SearchCustomer.ValueSet(in.CustomerID), contract.SearchPlan.ValueSet(in.PlanID),
		contract.SearchStatus.ValueSet(in.Status), contract.SearchNextAction.ValueSet(in.NextAction))
}

func paymentOptions(in contract.PaymentInput) client.StartWorkflowOptions {
	return options(contract.PaymentWorkflowID(in.Ref.ID), in.Ref.EnvironmentID, "Payment")
}

// update sends one Update, with a start in case the workflow was lost, and waits for its result. While the workflow
// drains before it continues as new it refuses updates; those are tried again within the budget.
func update[R any](
	ctx context.Context, c client.Client, name, id string, arg any, start func() client.WithStartWorkflowOperation,
) (R, error) {
	ctx, cancel := context.WithTimeout(ctx, updateBudget)
	defer cancel()
	for try := 0; ; try++ {
		result, err := updateOnce[R](ctx, c, name, id+"/"+strconv.Itoa(try), arg, start())
		if err == nil || !worthAnotherTry(err) {
			return result, engineError(err)
		}
		select {
		case <-ctx.Done():
			return result, errEngineUnavailable.Because(err)
		case <-time.After(drainPause):
		}
	}
}

func updateOnce[R any](
	ctx context.Context, c client.Client, name, id string, arg any, start client.WithStartWorkflowOperation,
) (result R, err error) {
	handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: id, UpdateName: name, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return result, err
	}
	return result, handle.Get(ctx, &result)
}

// worthAnotherTry tells whether the workflow was between two runs.
func worthAnotherTry(err error) bool {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return application.Type() == contract.ErrorDraining || application.Type() == "AcceptedUpdateCompletedWorkflow"
	}
	var notReady *serviceerror.WorkflowNotReady
	var aborted *serviceerror.Aborted
	return errors.As(err, &notReady) || errors.As(err, &aborted)
}

// engineError translates what the SDK says. Whatever is not the workflow's own answer is the engine's trouble.
func engineError(err error) error {
	var finished *serviceerror.WorkflowExecutionAlreadyStarted
	var application *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &finished):
		return ErrFinished
	case errors.As(err, &application):
		var f fault.Error
		if application.HasDetails() && application.Details(&f) == nil && f.Kind != "" {
			return f.Because(err)
		}
		return fault.New(fault.Internal, "internal", "").Because(err)
	default:
		return errEngineUnavailable.Because(err)
	}
}

// ignoreFinished: to start what has ended already is not an error.
func ignoreFinished(err error) error {
	if errors.Is(err, ErrFinished) {
		return nil
	}
	return err
}
