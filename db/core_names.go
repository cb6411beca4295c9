package db

import (
	"perennial/billing/fault"
	"perennial/db/core"
)

// Callers know these of package core by the name of db.

type (
	APIKey             = core.APIKey
	Actor              = core.Actor
	AdvanceTestClock   = core.AdvanceTestClock
	Call               = core.Call
	CheckTransaction   = core.CheckTransaction
	Config             = core.Config
	Dispatcher         = core.Dispatcher
	Effect             = core.Effect
	Owed               = core.Owed
	Page               = core.Page
	Ref                = core.Ref
	SignalSubscription = core.SignalSubscription
	StartErasure       = core.StartErasure
	StartPayment       = core.StartPayment
	StartSubscription  = core.StartSubscription
	WakeEndpoint       = core.WakeEndpoint
	WakeSender         = core.WakeSender
)

const (
	ActorKey = core.ActorKey

	BacklogAtMost = core.BacklogAtMost
)

var (
	ErrAPIKeyNotFound          = core.ErrAPIKeyNotFound
	ErrAPIKeyUnknown           = core.ErrAPIKeyUnknown
	ErrCouponNotFound          = core.ErrCouponNotFound
	ErrCreditGrantNotFound     = core.ErrCreditGrantNotFound
	ErrCreditNoteNotFound      = core.ErrCreditNoteNotFound
	ErrCustomerNotFound        = core.ErrCustomerNotFound
	ErrDisputeNotFound         = core.ErrDisputeNotFound
	ErrEmailNotFound           = core.ErrEmailNotFound
	ErrEmailSettingsNotFound   = core.ErrEmailSettingsNotFound
	ErrInvoiceTemplateNotFound = core.ErrInvoiceTemplateNotFound
	ErrErasureNotFound         = core.ErrErasureNotFound
	ErrEventNotFound           = core.ErrEventNotFound
	ErrIdempotencyKeyTaken     = core.ErrIdempotencyKeyTaken
	ErrInvoiceNotFound         = core.ErrInvoiceNotFound
	ErrMetricNotFound          = core.ErrMetricNotFound
	ErrPaymentMethodNotFound   = core.ErrPaymentMethodNotFound
	ErrPlanNotFound            = core.ErrPlanNotFound
	ErrProductNotFound         = core.ErrProductNotFound
	ErrProviderConfigNotFound  = core.ErrProviderConfigNotFound
	ErrSubscriptionNotFound    = core.ErrSubscriptionNotFound
	ErrTaxRateNotFound         = core.ErrTaxRateNotFound
	ErrTestClockNotFound       = core.ErrTestClockNotFound
	ErrTransactionNotFound     = core.ErrTransactionNotFound
	ErrWebhookDeliveryNotFound = core.ErrWebhookDeliveryNotFound
	ErrWebhookEndpointNotFound = core.ErrWebhookEndpointNotFound
)

// ByCLI is a person at a terminal, by the name that the machine knows.
func ByCLI(user string) Actor {
	return core.ByCLI(user)
}

// ByKey is the holder of an API key.
func ByKey(keyID string) Actor {
	return core.ByKey(keyID)
}

// ByOperator is a person who signed in.
func ByOperator(operatorID string) Actor {
	return core.ByOperator(operatorID)
}

// BySystem is a part of Perennial that acts on its own.
func BySystem(part string) Actor {
	return core.BySystem(part)
}

// ByWorkflow is a workflow.
func ByWorkflow(workflowID string) Actor {
	return core.ByWorkflow(workflowID)
}

// WebhookDeliveryID is the id of the delivery of an event to an endpoint, which WebhookDeliveryOwe gives it: the answer
// to a request is rendered before that statement is sent.
func WebhookDeliveryID(eventID, endpointID string) string {
	return core.WebhookDeliveryID(eventID, endpointID)
}

// IsAbsentRow reports whether a fault says that a row is absent, and no more.
func IsAbsentRow(f *fault.Error) bool { return core.IsAbsentRow(f) }
