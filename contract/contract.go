// Package contract is what api, activities and workflows say to each other: names, IDs, task queues, inputs and
// results, so that no import arrow runs back up. It decides nothing: its functions only build these values from those of
// billing, and turn them back. Every struct is persisted in histories: fields are added, never renamed or removed. No
// personal data and no secrets: ids, codes, times.
package contract

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
)

// Task queues. Payments are apart so that a slow provider holds up no timer.
const (
	QueueBilling  = "billing"
	QueuePayments = "payments"
)

// Workflow types.
const (
	SubscriptionWorkflow = "Subscription"
	PaymentWorkflow      = "Payment"
	TestClockWorkflow    = "TestClock"
	ReconcilerWorkflow   = "Reconciler"
)

// Fixed IDs.
const (
	ReconcilerScheduleID = "reconciler"
	ReconcilerWorkflowID = "reconciler"
)

// The workflow ID of a resource is the resource's ID; these functions exist so that nobody builds one by hand.

// SubscriptionWorkflowID is the workflow of a subscription.
func SubscriptionWorkflowID(subscriptionID string) string { return subscriptionID }

// PaymentWorkflowID is the workflow of a transaction that no subscription workflow owns.
func PaymentWorkflowID(transactionID string) string { return transactionID }

// TestClockWorkflowID is the workflow of a test clock.
func TestClockWorkflowID(clockID string) string { return clockID }

// Typed search attributes, all keywords: ids and codes only, since Temporal never encrypts them.
var (
	SearchEnvironment = temporal.NewSearchAttributeKeyKeyword("PerennialEnvironment")
	SearchCustomer    = temporal.NewSearchAttributeKeyKeyword("PerennialCustomer")
	SearchPlan        = temporal.NewSearchAttributeKeyKeyword("PerennialPlan")
	SearchStatus      = temporal.NewSearchAttributeKeyKeyword("PerennialStatus")
	SearchNextAction  = temporal.NewSearchAttributeKeyKeyword("PerennialNextAction")
)

// Messages of the subscription workflow.
const (
	UpdateCommand = "command" // Command -> CommandResult
	UpdateTick    = "tick"    // Tick -> TickResult: a test clock moved
	SignalCheck   = "check"   // Check: a provider callback about a transaction is stored
	SignalWake    = "wake"    // no payload: the row changed (new payment method, repair): reload and act
)

// UpdateAdvance is the one message of the test clock workflow: Advance -> AdvanceResult.
const UpdateAdvance = "advance"

// Ref names one row of an environment.
type Ref struct {
	EnvironmentID string `json:"environmentId"`
	ID            string `json:"id"`
}

// Attempt is a live transaction that somebody must bring to an end.
type Attempt struct {
	TransactionID string `json:"transactionId"`
	// CheckAt is when to ask the provider (again), in real time; zero: now.
	CheckAt time.Time `json:"checkAt"`
	// Sent tells that the provider was asked at least once, so that the UI shows a check, not a charge.
	Sent bool `json:"sent"`
}

// Snapshot is all that a subscription workflow knows of its subscription. Every activity answers with a fresh one.
type Snapshot struct {
	Revision   int64  `json:"revision"`
	Status     string `json:"status"`
	CustomerID string `json:"customerId"`
	PlanID     string `json:"planId"`
	// NextAction and NextAt: what happens next by itself and when, in the subscription's own time.
	NextAction string    `json:"nextAction"`
	NextAt     time.Time `json:"nextAt"`
	// Live is the attempt in progress, if any.
	Live *Attempt `json:"live,omitempty"`
	// ClockNow is the time of the test clock; zero: real time.
	ClockNow time.Time `json:"clockNow"`
	// PeriodEnd and Period, the index of the next one to open, let the workflow tell how many boundaries passed.
	PeriodEnd time.Time `json:"periodEnd"`
	Period    int       `json:"period"`
	// Finished: canceled and nothing pending; the workflow ends.
	Finished bool `json:"finished"`
}

// SubscriptionInput starts or continues a subscription's workflow. Without a snapshot the workflow loads one.
type SubscriptionInput struct {
	Ref      Ref       `json:"ref"`
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	// Checks are transactions whose callbacks arrived during the last run and are not looked at yet.
	Checks []string `json:"checks,omitempty"`
	// Woken: the last run was woken but had no time to act on it.
	Woken bool `json:"woken,omitempty"`
}

// SubscriptionStart is what starts a subscription's workflow: its input, and what operators search it by, where the
// caller knows it; the workflow sees to the rest.
type SubscriptionStart struct {
	Input                                  SubscriptionInput
	CustomerID, PlanID, Status, NextAction string
}

// Owner is whose workflow looks after a transaction.
type Owner struct {
	EnvironmentID  string
	TransactionID  string
	SubscriptionID string // empty: the transaction's own workflow
}

// ErrFinished tells that a workflow has ended for good.
var ErrFinished = errors.New("contract: the workflow has finished")

// Command names.
const (
	CommandCancel     = "cancel"
	CommandReactivate = "reactivate"
	CommandChangePlan = "change_plan"
	CommandPay        = "pay"
)

// Command is one thing a person or app asks of a subscription. ID makes a repeat recognisable. Only the fields of the
// named command are set.
type Command struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Idempotency is the row to complete in the transaction that performs the command; nil: the request had no key.
	Idempotency *IdempotencyRef `json:"idempotency,omitempty"`

	Reason string `json:"reason,omitempty"` // cancel: a code of ours
	// HasText: a person wrote the reason. It lies in the database under the command's id, never in a history.
	HasText         bool   `json:"hasText,omitempty"`
	ImmediateEffect bool   `json:"immediateEffect,omitempty"`
	Refund          string `json:"refund,omitempty"` // cancel: RefundProrated, or none
	PlanID          string `json:"planId,omitempty"` // change_plan
	AtPeriodEnd     bool   `json:"atPeriodEnd,omitempty"`
	Amount          *int64 `json:"amount,omitempty"` // pay: must equal the amount due
}

// RefundProrated gives the unused time of what was paid for the current period back.
const RefundProrated = "prorated"

// IdempotencyRef names a row of idempotency_keys.
type IdempotencyRef struct {
	Route string `json:"route"`
	Key   string `json:"key"`
}

// CommandResult is the outcome of a command. Ids and the revision only: api renders from the rows.
type CommandResult struct {
	Revision      int64    `json:"revision"`
	TransactionID string   `json:"transactionId,omitempty"` // pay
	Refusal       *Refusal `json:"refusal,omitempty"`
}

// CommandInput is the activity input of a command. Now is the subscription's own time.
type CommandInput struct {
	Ref     Ref       `json:"ref"`
	Command Command   `json:"command"`
	Now     time.Time `json:"now"`
}

// CommandOutput is what the activity answers.
type CommandOutput struct {
	Result   CommandResult `json:"result"`
	Snapshot Snapshot      `json:"snapshot"`
}

// DueInput asks the rules to do what is due at Now, and what the row asks for beside its dates.
type DueInput struct {
	Ref Ref       `json:"ref"`
	Now time.Time `json:"now"`
}

// ResolveInput brings one transaction further: send, replay, look up or cancel, as its row says. Now is the workflow's
// time; zero, or a customer on a test clock, makes the activity find it out.
type ResolveInput struct {
	EnvironmentID string    `json:"environmentId"`
	TransactionID string    `json:"transactionId"`
	Now           time.Time `json:"now"`
	// Asked: the provider sent word about it, so it is looked at even where it is closed.
	Asked bool `json:"asked,omitempty"`
}

// ResolveOutput tells what is left to do. Snapshot is that of the subscription the transaction belongs to, if any.
type ResolveOutput struct {
	Status   string    `json:"status"`
	CheckAt  time.Time `json:"checkAt"` // pending: when to ask again, real time
	Parked   bool      `json:"parked,omitempty"`
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// Check is a signal's payload: look at this transaction now.
type Check struct {
	TransactionID string `json:"transactionId"`
}

// Tick tells a subscription that its test clock has moved.
type Tick struct {
	Now time.Time `json:"now"`
}

// TickResult is given when everything due by then is done.
type TickResult struct {
	Revision int64 `json:"revision"`
}

// PaymentInput starts the workflow of a transaction of its own.
type PaymentInput struct {
	Ref Ref `json:"ref"`
}

// TestClockInput starts or continues a clock's workflow.
type TestClockInput struct {
	Ref  Ref  `json:"ref"`
	Busy bool `json:"busy"` // an advance is under way (continue-as-new, or restarted by the reconciler)
}

// Advance asks a clock to move to To.
type Advance struct {
	CommandID   string          `json:"commandId"`
	To          time.Time       `json:"to"`
	Idempotency *IdempotencyRef `json:"idempotency,omitempty"`
}

// AdvanceInput is the activity input of Advance.
type AdvanceInput struct {
	Ref     Ref     `json:"ref"`
	Advance Advance `json:"advance"`
}

// AdvanceResult is given when the clock has begun to move (or refused to).
type AdvanceResult struct {
	Refusal *Refusal `json:"refusal,omitempty"`
}

// StepResult tells how far one step brought the clock.
type StepResult struct {
	Now       time.Time `json:"now"`
	Done      bool      `json:"done"`
	BlockedBy []string  `json:"blockedBy,omitempty"` // transactions still pending after 10 s of real time
}

// ReconcileResult counts what one pass of the reconciler found and mended.
type ReconcileResult struct {
	Started   int  `json:"started"`
	Signalled int  `json:"signalled"`
	Late      int  `json:"late"`
	Purged    int  `json:"purged"`
	More      bool `json:"more"`
	// Stuck subscriptions stayed overdue although earlier passes had woken them; StuckIDs are some of them.
	Stuck    int      `json:"stuck,omitempty"`
	StuckIDs []string `json:"stuckIds,omitempty"`
	// Unclaimed callbacks were about nothing of ours for a day, and were given up.
	Unclaimed int `json:"unclaimed,omitempty"`
	// Unanswered callbacks were about transactions for which the provider did not answer for a week, and were given up.
	Unanswered int `json:"unanswered,omitempty"`
}

// ErrorDraining is the type of the application error with which a run that is about to continue as new refuses updates;
// the caller repeats.
const ErrorDraining = "draining"
