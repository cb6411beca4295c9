// Package engine is the client of Temporal: it starts the workflow of a resource and signals it. It knows names and
// policies, no rules. An unreachable Temporal is fault.Unavailable, never a hang.
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
	"The workflow engine did not respond in time. Try again in a moment.").After(2 * time.Second)

// Engine wraps a Temporal client.
type Engine struct {
	client client.Client
}

// New uses a client that the caller closes.
func New(c client.Client) *Engine { return &Engine{client: c} }

// StartSubscription starts a subscription's workflow; one that runs already counts as started, and one that has
// finished stays finished. Fault: engine_unavailable.
func (e *Engine) StartSubscription(ctx context.Context, in contract.SubscriptionStart) error {
	_, err := e.client.ExecuteWorkflow(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in.Input)
	return ignoreFinished(engineError(err))
}

// Wake signals a subscription's workflow that its row changed, and starts the workflow where it was lost or has
// finished. signal is a name of contract's. Fault: engine_unavailable.
func (e *Engine) Wake(ctx context.Context, ref contract.Ref, signal string, wake contract.Wake) error {
	in := contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref}}
	o := subscriptionOptions(in)
	// A finished subscription may have left invoices open, which stay payable: its workflow collects once more.
	o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, signal, wake, o, contract.SubscriptionWorkflow, in.Input)
	return engineError(err)
}

// AdvanceClock signals a test clock's workflow that its row has a new target, and starts the workflow where none runs.
// Fault: engine_unavailable.
func (e *Engine) AdvanceClock(ctx context.Context, ref contract.Ref) error {
	o, in := clockOptions(ref), contract.TestClockInput{Ref: ref}
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, contract.SignalAdvance, nil, o, contract.TestClockWorkflow, in)
	return engineError(err)
}

// Check makes the owner of a transaction look it up: the subscription's workflow, which is started where it was lost,
// or the transaction's own where the subscription has finished or there is none. Fault: engine_unavailable.
func (e *Engine) Check(ctx context.Context, owner contract.Owner, check contract.Check) error {
	if owner.SubscriptionID != "" {
		ref := contract.Ref{EnvironmentID: owner.EnvironmentID, ID: owner.SubscriptionID}
		if err := e.check(ctx, ref, check); !errors.Is(err, errFinished) {
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

func (e *Engine) check(ctx context.Context, ref contract.Ref, check contract.Check) error {
	in := contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: ref}}
	o := subscriptionOptions(in)
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID,
		contract.SignalCheck, check, o, contract.SubscriptionWorkflow, in.Input)
	return engineError(err)
}

// Attended reports whether a worker has taken up the last start or wake-up of a workflow: no task of it waits. A
// missing workflow counts as attended. Fault: engine_unavailable.
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

// WakeEndpoint signals a webhook endpoint's workflow that it is owed something or has changed, and starts the workflow
// where none runs. Fault: engine_unavailable.
func (e *Engine) WakeEndpoint(ctx context.Context, ref contract.Ref) error {
	o, in := endpointOptions(ref), contract.WebhookEndpointInput{Ref: ref}
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID,
		contract.SignalWake, nil, o, contract.WebhookEndpointWorkflow, in)
	return engineError(err)
}

// WakeSender signals the workflow of a sender of mail that mails are due or that it has changed, and starts the
// workflow where none runs. Fault: engine_unavailable.
func (e *Engine) WakeSender(ctx context.Context, ref contract.Ref) error {
	o, in := senderOptions(ref), contract.EmailSenderInput{Ref: ref}
	_, err := e.client.SignalWithStartWorkflow(ctx, o.ID, contract.SignalWake, nil, o, contract.EmailSenderWorkflow, in)
	return engineError(err)
}

// StartErasure starts the workflow of an erasure; one that runs already counts as started. Fault: engine_unavailable.
func (e *Engine) StartErasure(ctx context.Context, in contract.ErasureInput) error {
	_, err := e.client.ExecuteWorkflow(ctx, erasureOptions(in), contract.ErasureWorkflow, in)
	return engineError(err)
}
