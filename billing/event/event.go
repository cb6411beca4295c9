// Package event owns the facts that Perennial announces: their types and the data each carries. Data holds ids,
// codes and amounts only, never personal data, so events need no erasure. It does not own delivery.
package event

import (
	"slices"
	"time"
)

// Type names what happened; apps choose by it what to receive.
type Type string

// The event types. The first six come from the interface specification.
const (
	PaymentSuccess       Type = "payment.success"
	PaymentFailed        Type = "payment.failed"
	SubscriptionActive   Type = "subscription.activated"
	SubscriptionPastDue  Type = "subscription.past_due"
	SubscriptionCanceled Type = "subscription.canceled"
	InvoicePaid          Type = "invoice.paid"

	PaymentPending      Type = "payment.pending"
	PaymentCanceled     Type = "payment.canceled"
	PaymentRefunded     Type = "payment.refunded"
	PaymentRefundFailed Type = "payment.refund_failed"
	PaymentParked       Type = "payment.parked"

	SubscriptionCreated Type = "subscription.created"
	SubscriptionUpdated Type = "subscription.updated"
	SubscriptionRenewed Type = "subscription.renewed"

	InvoiceIssued Type = "invoice.issued"
	InvoiceVoided Type = "invoice.voided"
	// InvoiceUncollectible: given up by a person; it stays owed.
	InvoiceUncollectible Type = "invoice.marked_uncollectible"

	CustomerCreated   Type = "customer.created"
	CustomerUpdated   Type = "customer.updated"
	CustomerDeleted   Type = "customer.deleted"
	PlanCreated       Type = "plan.created"
	PlanUpdated       Type = "plan.updated"
	TestClockAdvanced Type = "test_clock.advanced"
)

// types are all of them.
var types = []Type{
	PaymentSuccess, PaymentFailed, SubscriptionActive, SubscriptionPastDue, SubscriptionCanceled, InvoicePaid,
	PaymentPending, PaymentCanceled, PaymentRefunded, PaymentRefundFailed, PaymentParked,
	SubscriptionCreated, SubscriptionUpdated, SubscriptionRenewed, InvoiceIssued, InvoiceVoided, InvoiceUncollectible,
	CustomerCreated, CustomerUpdated, CustomerDeleted, PlanCreated, PlanUpdated, TestClockAdvanced,
}

// Known tells whether there are events of this type.
func (t Type) Known() bool { return slices.Contains(types, t) }

// Event is one fact, before it is stored. ObjectID is the id receivers dedupe on (`data.id`); Data is the `data`
// object of payload shape A and is marshalled to JSON as it is.
type Event struct {
	Type           Type
	ObjectID       string
	CustomerID     string // empty: none
	SubscriptionID string // empty: none
	Data           map[string]any
	OccurredAt     time.Time // virtual on a test clock
}
