// Package contract defines the names, IDs, task queues, inputs and results that service, activities and workflows
// share, so that no import arrow runs back up. It decides nothing: its functions only build these values from those of
// billing. Histories persist every struct: fields are added, never renamed or removed. The structs hold ids, codes and
// times, no personal data and no secrets.
package contract

import (
	"time"

	"go.temporal.io/sdk/temporal"

	"perennial/billing/erasure"
	"perennial/billing/payment"
)

// Task queues. Payments are apart so that a slow provider holds up no timer; webhooks, so that no receiver does.
// Receivers that were slow have a queue, and slots, of their own (ADR 25). Mails are apart for the same reason.
const (
	QueueBilling      = "billing"
	QueuePayments     = "payments"
	QueueWebhooks     = "webhooks"
	QueueWebhooksSlow = "webhooks-slow"
	QueueEmails       = "emails"
)

// Workflow types.
const (
	SubscriptionWorkflow = "Subscription"
	PaymentWorkflow      = "Payment"
	TestClockWorkflow    = "TestClock"
	ReconcilerWorkflow   = "Reconciler"
	ErasureWorkflow      = "Erasure"

	WebhookEndpointWorkflow = "WebhookEndpoint"
	EmailSenderWorkflow     = "EmailSender"
)

// Activity names. Histories hold them, so they never change.
const (
	ActivityAdvance    = "Advance"    // AdvanceInput -> Snapshot
	ActivityBillUsage  = "BillUsage"  // AdvanceInput -> Snapshot
	ActivityCharge     = "Charge"     // ResolveInput -> ResolveOutput
	ActivityStepClock  = "StepClock"  // Ref -> StepResult
	ActivityReconcile  = "Reconcile"  // -> ReconcileResult
	ActivityEraseBatch = "EraseBatch" // Ref -> EraseResult
	ActivityDeliverDue = "DeliverDue" // DeliverInput -> DeliverOutput
	ActivitySendDue    = "SendDue"    // Ref -> SendOutput
)

// Fixed IDs.
const (
	ReconcilerScheduleID = "reconciler"
	ReconcilerWorkflowID = "reconciler"
)

// The workflow ID of a resource is the resource's ID; these functions keep that rule in one place.

// SubscriptionWorkflowID is the workflow of a subscription.
func SubscriptionWorkflowID(subscriptionID string) string { return subscriptionID }

// PaymentWorkflowID is the workflow of a transaction that no subscription workflow owns.
func PaymentWorkflowID(transactionID string) string { return transactionID }

// TestClockWorkflowID is the workflow of a test clock.
func TestClockWorkflowID(clockID string) string { return clockID }

// WebhookEndpointWorkflowID is the workflow of a webhook endpoint.
func WebhookEndpointWorkflowID(endpointID string) string { return endpointID }

// EmailSenderWorkflowID is the workflow of a sender of mail.
func EmailSenderWorkflowID(senderID string) string { return senderID }

// ErasureWorkflowID is the workflow of an erasure.
func ErasureWorkflowID(erasureID string) string { return erasureID }

// Typed search attributes, all keywords: ids and codes only, since Temporal never encrypts them.
var (
	SearchEnvironment = temporal.NewSearchAttributeKeyKeyword("PerennialEnvironment")
	SearchCustomer    = temporal.NewSearchAttributeKeyKeyword("PerennialCustomer")
	SearchPlan        = temporal.NewSearchAttributeKeyKeyword("PerennialPlan")
	SearchStatus      = temporal.NewSearchAttributeKeyKeyword("PerennialStatus")
	SearchNextAction  = temporal.NewSearchAttributeKeyKeyword("PerennialNextAction")
)

// Signals of the workflows of subscriptions and webhook endpoints. Each means that the row changed: the workflow
// reloads it and acts, unless the signal carries the row's state. The name shows operators in the history what was
// done; the workflow treats all but SignalCheck alike.
const (
	SignalCheck = "check" // Check: a provider callback about a transaction is stored
	SignalWake  = "wake"  // Wake: a new payment method, a test clock that moved, a delivery that is owed, the reconciler
)

// CommandSignals are the signals of commands, by the command's name; each carries a Wake.
var CommandSignals = []string{
	CommandCancel, CommandReactivate, CommandChangePlan, CommandPay, CommandVoidInvoice, CommandMarkUncollectible,
	CommandSkipRetry, CommandResumeCollection, CommandMarkPaid, CommandRedeemCoupon, CommandRemoveCoupon,
	CommandCreditInvoice,
	CommandPause, CommandResume,
}

// Command names.
const (
	CommandCancel     = "cancel"
	CommandReactivate = "reactivate"
	CommandChangePlan = "change_plan"
	CommandPay        = "pay"

	CommandSkipRetry        = "skip_retry"
	CommandResumeCollection = "resume_collection"

	CommandPause  = "pause"
	CommandResume = "resume"

	CommandRedeemCoupon = "redeem_coupon"
	CommandRemoveCoupon = "remove_coupon"

	CommandVoidInvoice       = "void_invoice"
	CommandMarkUncollectible = "mark_uncollectible"
	CommandMarkPaid          = "mark_paid"
	CommandCreditInvoice     = "credit_invoice"
)

// Wake shows operators who woke a workflow, and at which revision of the row. It holds ids and codes only.
type Wake struct {
	By       string `json:"by,omitempty"` // kind of actor: key, operator, workflow, cli, system
	Actor    string `json:"actor,omitempty"`
	Revision int64  `json:"revision,omitempty"`
	// Snapshot is the state of the row at that revision, where there is nothing to do; absent: reload the row and act.
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// SignalAdvance signals a test clock's workflow that its row has a new target. It carries no payload.
const SignalAdvance = "advance"

// Ref names one row of an environment.
type Ref struct {
	EnvironmentID string `json:"environmentId"`
	ID            string `json:"id"`
}

// SubscriptionInput starts or continues a subscription's workflow. Without a snapshot the workflow loads one.
type SubscriptionInput struct {
	Ref      Ref       `json:"ref"`
	Snapshot *Snapshot `json:"snapshot,omitempty"`
	// Checks are transactions whose callbacks arrived during the last run and are not looked up yet.
	Checks []string `json:"checks,omitempty"`
	// Woken: the last run was woken but had no time to act on it.
	Woken bool `json:"woken,omitempty"`
}

// SubscriptionStart starts a subscription's workflow: its input, and the values of the search attributes that the
// caller knows; the workflow sets the others.
type SubscriptionStart struct {
	Input                                  SubscriptionInput
	CustomerID, PlanID, Status, NextAction string
}

// Owner names the workflow that serves a transaction.
type Owner struct {
	EnvironmentID  string
	TransactionID  string
	SubscriptionID string // empty: the transaction's own workflow
}

// AdvanceInput asks for all that is due at Now, the workflow's own time.
type AdvanceInput struct {
	Ref Ref       `json:"ref"`
	Now time.Time `json:"now"`
}

// ResolveInput sends, replays, looks up or cancels one transaction, as its row says. Now is the workflow's time; the
// activity determines it itself where it is zero or the customer is on a test clock.
type ResolveInput struct {
	EnvironmentID string    `json:"environmentId"`
	TransactionID string    `json:"transactionId"`
	Now           time.Time `json:"now"`
	// Asked: a provider's callback arrived, so the transaction is looked up even if it is closed.
	Asked bool `json:"asked,omitempty"`
}

// ResolveOutput has what is left to do. Snapshot is that of the transaction's subscription, if any.
type ResolveOutput struct {
	Status   payment.Status `json:"status"`
	CheckAt  time.Time      `json:"checkAt"` // pending: when to ask again, real time
	Parked   bool           `json:"parked,omitempty"`
	Held     Held           `json:"held,omitzero"`
	Snapshot *Snapshot      `json:"snapshot,omitempty"`
}

// Check is a signal's payload: look up this transaction now.
type Check struct {
	TransactionID string `json:"transactionId"`
}

// PaymentInput starts the workflow of a transaction of its own.
type PaymentInput struct {
	Ref Ref `json:"ref"`
}

// TestClockInput starts or continues a clock's workflow.
type TestClockInput struct {
	Ref Ref `json:"ref"`
}

// StepResult says how far one step moved the clock. Done: the clock is ready.
type StepResult struct {
	Now       time.Time `json:"now"`
	Done      bool      `json:"done"`
	BlockedBy []string  `json:"blockedBy,omitempty"` // transactions still pending after 10 s of real time
}

// ErasureInput starts or continues the workflow of an erasure. CustomerID is empty where the caller does not know it,
// and for the erasure of a test clock's customers.
type ErasureInput struct {
	Ref        Ref    `json:"ref"`
	CustomerID string `json:"customerId,omitempty"`
	// Shown is what the last run displayed to operators.
	Shown EraseResult `json:"shown"`
}

// EraseResult is the progress of an erasure after a batch. Stage is the next batch's.
type EraseResult struct {
	CustomerID  string        `json:"customerId,omitempty"`
	TestClockID string        `json:"testClockId,omitempty"`
	Stage       erasure.Stage `json:"stage,omitempty"`
	Rows        int           `json:"rows,omitempty"` // that the batch handled
	Done        bool          `json:"done,omitempty"`
	// Absent: the database does not have the erasure (any more). The workflow ends.
	Absent bool `json:"absent,omitempty"`
}

// ReconcileResult counts the findings and repairs of one pass of the reconciler.
type ReconcileResult struct {
	Started   int `json:"started"`
	Signalled int `json:"signalled"`
	Late      int `json:"late"`
	// Overlooked subscriptions did not wait for a date that had passed.
	Overlooked int  `json:"overlooked,omitempty"`
	Purged     int  `json:"purged"`
	More       bool `json:"more"`
	// Stuck subscriptions stayed overdue although earlier passes had woken them; StuckIDs are some of them, StuckIn the
	// environment of each.
	Stuck    int      `json:"stuck,omitempty"`
	StuckIDs []string `json:"stuckIds,omitempty"`
	StuckIn  []string `json:"stuckIn,omitempty"`
	// Unclaimed callbacks matched no transaction for a day and have expired.
	Unclaimed int `json:"unclaimed,omitempty"`
	// Unanswered callbacks were about transactions that could not be looked up for a week, and have expired.
	Unanswered int `json:"unanswered,omitempty"`
	// Lost callbacks are about transactions of ours that no environment has; some of them.
	Lost []LostCallback `json:"lost,omitempty"`
}

// LostCallback names a callback about a transaction that the database has lost.
type LostCallback struct {
	ID               string `json:"id"`
	EnvironmentID    string `json:"environmentId"`
	TransactionID    string `json:"transactionId"`
	ProviderConfigID string `json:"providerConfigId"`
	ProviderRef      string `json:"providerRef"`
}
