package failpoint

import "slices"

// Name is one place in the program. It names the step that has just been done.
type Name string

// The places, in the order in which a subscription passes them. A new one goes into names as well.
const (
	// CreateCommitted: the API has committed a new subscription and has not started its workflow.
	CreateCommitted Name = "create_committed"
	// CommandCommitted: a command's transaction is committed and its activity has not reported it.
	CommandCommitted Name = "command_committed"
	// RenewBegun: the renewal's transaction has written and is not committed.
	RenewBegun Name = "renew_begun"
	// RenewCommitted: the period is advanced and the charge intended; the activity has not reported it.
	RenewCommitted Name = "renew_committed"
	// ChargeMarked: first_sent_at is committed; nothing is sent.
	ChargeMarked Name = "charge_marked"
	// ChargeAnswered: the provider has answered; nothing is recorded.
	ChargeAnswered Name = "charge_answered"
	// ChargeRecorded: the result is committed; the activity has not reported it.
	ChargeRecorded Name = "charge_recorded"
	// CallbackStored: a provider's callback is committed; its owner has not been signalled.
	CallbackStored Name = "callback_stored"
	// CallbackSignalled: the owner is signalled; the provider has not had our answer.
	CallbackSignalled Name = "callback_signalled"
	// RefundAnswered: the provider has answered a refund; nothing is recorded.
	RefundAnswered Name = "refund_answered"
	// DeliveryOwed: an event and what endpoints are owed are committed; no endpoint's workflow has been signalled.
	DeliveryOwed Name = "delivery_owed"
	// AttemptStarted: an attempt is committed; nothing is sent.
	AttemptStarted Name = "attempt_started"
	// AttemptAnswered: the receiver has answered; nothing is recorded.
	AttemptAnswered Name = "attempt_answered"
	// AttemptRecorded: the result is committed; the activity has not reported it.
	AttemptRecorded Name = "attempt_recorded"
	// ReconcileStarted: the reconciler has started a workflow and has not noted the epoch.
	ReconcileStarted Name = "reconcile_started"
	// DebtCanceled: a subscription of an overdue customer is canceled, and the customer still waits for the others.
	DebtCanceled Name = "debt_canceled"
)

var names = []Name{
	CreateCommitted, CommandCommitted, RenewBegun, RenewCommitted, ChargeMarked, ChargeAnswered, ChargeRecorded,
	CallbackStored, CallbackSignalled, RefundAnswered, DeliveryOwed, AttemptStarted, AttemptAnswered, AttemptRecorded,
	ReconcileStarted, DebtCanceled,
}

// Names lists all places, for tests that visit each.
func Names() []Name { return slices.Clone(names) }
