// Package engine is how the rest of Perennial speaks to Temporal: starting the workflow of a resource, sending it
// commands and waking it. It knows names and policies, no rules. Every call answers within its budget: an engine that is
// away is fault.Unavailable, never a hang.
package engine

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/fault"
	"perennial/contract"
)

// Budget is how long a caller waits for Temporal and a worker before it is told to try again.
const Budget = 10 * time.Second

// Engine wraps a Temporal client.
type Engine struct {
	client client.Client
	budget time.Duration
}

// New makes an engine; budget 0 is Budget.
func New(c client.Client, budget time.Duration) *Engine {
	if budget == 0 {
		budget = Budget
	}
	return &Engine{client: c, budget: budget}
}

// Attributes are what operators can search a subscription's workflow by, and what its list entry says.
type Attributes struct {
	CustomerID string
	PlanID     string
	Status     string
	NextAction string
}

// StartSubscription starts the workflow of a subscription; one that runs already is left alone, a completed one is not
// started again. Fault: engine_unavailable.
func (e *Engine) StartSubscription(ctx context.Context, in contract.SubscriptionInput) error {
	return e.start(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in)
}

// StartPayment starts the workflow of a transaction that no subscription owns. Fault: engine_unavailable.
func (e *Engine) StartPayment(ctx context.Context, in contract.PaymentInput) error {
	return e.start(ctx, paymentOptions(in), contract.PaymentWorkflow, in)
}

// StartTestClock resumes the workflow of a clock whose advance was interrupted. Fault: engine_unavailable.
func (e *Engine) StartTestClock(ctx context.Context, in contract.TestClockInput) error {
	return e.start(ctx, clockOptions(in.Ref), contract.TestClockWorkflow, in)
}

func (e *Engine) start(ctx context.Context, options client.StartWorkflowOptions, workflow string, in any) error {
	ctx, cancel := context.WithTimeout(ctx, e.budget)
	defer cancel()
	_, err := e.client.ExecuteWorkflow(ctx, options, workflow, in)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &running) {
		return nil
	}
	return unavailable(err)
}

// Command asks a subscription's workflow to perform a command and waits for its outcome; a workflow that was lost is
// started by it. Faults: engine_unavailable (safe to repeat under the same command id), subscription_canceled.
func (e *Engine) Command(ctx context.Context, in contract.SubscriptionInput, cmd contract.Command) (contract.CommandResult, error) {
	options := subscriptionOptions(in)
	if cmd.Name == contract.CommandPay {
		// A canceled subscription's workflow has completed, but what it left open can still be paid.
		options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	var out contract.CommandResult
	err := e.update(ctx, call{options, contract.SubscriptionWorkflow, in, contract.UpdateCommand, cmd.ID, cmd}, &out)
	var closed *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &closed) {
		return out, fault.New(fault.Conflict, "subscription_canceled", "the subscription is canceled, which is final; create a new one")
	}
	return out, unavailable(err)
}

// Tick tells a subscription that its test clock has moved, and waits until all that is due by then is done, or ctx ends.
func (e *Engine) Tick(ctx context.Context, in contract.SubscriptionInput, tick contract.Tick) error {
	options := subscriptionOptions(in)
	id := "tick-" + tick.Now.UTC().Format(time.RFC3339)
	err := e.updateUntil(ctx, call{options, contract.SubscriptionWorkflow, in, contract.UpdateTick, id, tick}, nil)
	var closed *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &closed) {
		return nil // canceled: nothing is due any more
	}
	return err
}

// Advance asks a test clock to move and waits until it has begun to. Fault: engine_unavailable.
func (e *Engine) Advance(ctx context.Context, ref contract.Ref, in contract.Advance) (contract.AdvanceResult, error) {
	var out contract.AdvanceResult
	start := contract.TestClockInput{Ref: ref}
	err := e.update(ctx, call{clockOptions(ref), contract.TestClockWorkflow, start, contract.UpdateAdvance, in.CommandID, in}, &out)
	return out, unavailable(err)
}

// Wake makes a subscription look at its row again. Best effort: the reconciler repeats it.
func (e *Engine) Wake(ctx context.Context, in contract.SubscriptionInput) error {
	return e.signal(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in, contract.SignalWake, nil)
}

// Check makes the owner of a transaction ask the provider about it now. subscription is empty for a transaction of its
// own, and where the subscription's workflow has ended. Best effort: the reconciler repeats it.
func (e *Engine) Check(ctx context.Context, env, subscriptionID, transactionID string) error {
	check := contract.Check{TransactionID: transactionID}
	if subscriptionID != "" {
		in := contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: env, ID: subscriptionID}}
		return e.signal(ctx, subscriptionOptions(in), contract.SubscriptionWorkflow, in, contract.SignalCheck, check)
	}
	in := contract.PaymentInput{Ref: contract.Ref{EnvironmentID: env, ID: transactionID}}
	options := paymentOptions(in)
	options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE // news about a closed transaction
	return e.signal(ctx, options, contract.PaymentWorkflow, in, contract.SignalCheck, check)
}

func (e *Engine) signal(ctx context.Context, options client.StartWorkflowOptions, workflow string, in any, name string, payload any) error {
	ctx, cancel := context.WithTimeout(ctx, e.budget)
	defer cancel()
	_, err := e.client.SignalWithStartWorkflow(ctx, options.ID, name, payload, options, workflow, in)
	var closed *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &closed) {
		return nil
	}
	return unavailable(err)
}

// unavailable turns what Temporal or its absence answered into a fault that is safe to repeat.
func unavailable(err error) error {
	if err == nil {
		return nil
	}
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return fault.New(fault.Internal, "internal", "something went wrong on our side").Because(err)
	}
	return fault.New(fault.Unavailable, "engine_unavailable",
		"the billing engine does not answer; repeat the request with the same Idempotency-Key").After(2 * time.Second).Because(err)
}
