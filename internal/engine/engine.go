// Package engine is how the rest of Perennial speaks to Temporal: it starts the workflow of a resource, sends it commands
// and wakes it. It knows names and policies, no rules. A Temporal that is away is fault.Unavailable, never a hang.
package engine

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"perennial/billing/fault"
	"perennial/contract"
)

// ErrUnavailable is the answer when Temporal, or every worker, is away.
var ErrUnavailable = fault.New(fault.Unavailable, "engine_unavailable",
	"the workflow engine did not answer in time; repeat the request with the same Idempotency-Key").After(2 * time.Second)

// Engine wraps a Temporal client.
type Engine struct {
	client client.Client
}

// New uses a client that the caller closes.
func New(c client.Client) *Engine { return &Engine{client: c} }

// StartSubscription starts a subscription's workflow; one that runs already is as good, one that has finished stays so.
// Fault: engine_unavailable.
func (e *Engine) StartSubscription(ctx context.Context, in contract.SubscriptionStart) error {
	_, err := e.client.ExecuteWorkflow(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in.Input)
	return ignoreFinished(engineError(err))
}

// Command has a subscription's workflow carry out a command, and starts the workflow if it was lost. contract.ErrFinished:
// the subscription is canceled and nothing of it is pending. Fault: engine_unavailable, when there was no answer before ctx
// ended; the command may or may not have been carried out then, and its id makes a repeat safe.
func (e *Engine) Command(ctx context.Context, in contract.SubscriptionStart, cmd contract.Command) (contract.CommandResult, error) {
	o := subscriptionOptions(in)
	if cmd.Name == contract.CommandPay {
		// A finished subscription may have left invoices open, which stay payable: its workflow collects once more.
		o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	return update[contract.CommandResult](ctx, e.client, contract.UpdateCommand, asked(cmd.ID), cmd, func() client.WithStartWorkflowOperation {
		return e.client.NewWithStartWorkflowOperation(o, contract.SubscriptionWorkflow, in.Input)
	})
}

// Advance makes a test clock begin to move. Fault: engine_unavailable, when there was no answer before ctx ended.
func (e *Engine) Advance(ctx context.Context, ref contract.Ref, advance contract.Advance) (contract.AdvanceResult, error) {
	return update[contract.AdvanceResult](ctx, e.client, contract.UpdateAdvance, asked(advance.CommandID), advance, func() client.WithStartWorkflowOperation {
		return e.client.NewWithStartWorkflowOperation(clockOptions(ref), contract.TestClockWorkflow, contract.TestClockInput{Ref: ref})
	})
}

// Wake makes a subscription's workflow look at its row, and starts the workflow where it was lost, failed or terminated.
// A finished one stays finished. Fault: engine_unavailable.
func (e *Engine) Wake(ctx context.Context, ref contract.Ref) error {
	return ignoreFinished(e.signalSubscription(ctx, ref, contract.SignalWake, nil))
}

// Check makes the owner of a transaction look at it: the subscription's workflow, which is started where it was lost, or
// the transaction's own where the subscription has finished or there is none. Fault: engine_unavailable.
func (e *Engine) Check(ctx context.Context, owner contract.Owner, check contract.Check) error {
	if owner.SubscriptionID != "" {
		ref := contract.Ref{EnvironmentID: owner.EnvironmentID, ID: owner.SubscriptionID}
		if err := e.signalSubscription(ctx, ref, contract.SignalCheck, check); !errors.Is(err, contract.ErrFinished) {
			return err
		}
	}
	in := contract.PaymentInput{Ref: contract.Ref{EnvironmentID: owner.EnvironmentID, ID: owner.TransactionID}}
	o := paymentOptions(in)
	// A callback may come long after the payment's workflow has ended: it is worth a new run.
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, contract.SignalCheck, check, o, contract.PaymentWorkflow, in)
	return engineError(err)
}

func (e *Engine) signalSubscription(ctx context.Context, ref contract.Ref, signal string, payload any) error {
	in := contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref}}
	o := subscriptionOptions(in)
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, signal, payload, o, contract.SubscriptionWorkflow, in.Input)
	return engineError(err)
}

// Attended reports whether a worker has taken up what a workflow was last started or woken for: no task of it waits. One
// that is not there waits for nothing. Fault: engine_unavailable.
func (e *Engine) Attended(ctx context.Context, workflowID string) (bool, error) {
	d, err := e.client.DescribeWorkflowExecution(ctx, workflowID, "")
	var absent *serviceerror.NotFound
	if errors.As(err, &absent) {
		return true, nil
	}
	return d.GetPendingWorkflowTask() == nil, engineError(err)
}

// StartPayment starts the workflow of a transaction that no subscription workflow owns. Fault: engine_unavailable.
func (e *Engine) StartPayment(ctx context.Context, in contract.PaymentInput) error {
	_, err := e.client.ExecuteWorkflow(ctx, paymentOptions(in), contract.PaymentWorkflow, in)
	return ignoreFinished(engineError(err))
}

// StartTestClock resumes the advance of a clock that was interrupted. Fault: engine_unavailable.
func (e *Engine) StartTestClock(ctx context.Context, in contract.TestClockInput) error {
	_, err := e.client.ExecuteWorkflow(ctx, clockOptions(in.Ref), contract.TestClockWorkflow, in)
	return ignoreFinished(engineError(err))
}

// Tick tells a subscription's workflow that its test clock has moved, and waits until all that is due by then is done, or
// ctx ends. A finished subscription has nothing due.
func (e *Engine) Tick(ctx context.Context, in contract.SubscriptionStart, tick contract.Tick) error {
	id := "tick/" + tick.Now.UTC().Format(time.RFC3339)
	_, err := update[contract.TickResult](ctx, e.client, contract.UpdateTick, id, tick, func() client.WithStartWorkflowOperation {
		return e.client.NewWithStartWorkflowOperation(subscriptionOptions(in), contract.SubscriptionWorkflow, in.Input)
	})
	return ignoreFinished(err)
}
