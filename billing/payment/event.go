package payment

import (
	"time"

	"perennial/billing/event"
)

// Event announces something about the transaction: the data of the interface specification, plus ids that help a receiver
// and what the type adds. at is the subscription's, or the customer's, own time.
func (t Transaction) Event(typ event.Type, at time.Time, more map[string]any) event.Event {
	data := map[string]any{
		"id": t.ID, "customerId": t.CustomerID, "amount": int64(t.Amount), "currency": string(t.Currency),
	}
	if t.SubscriptionID != "" {
		data["subscriptionId"] = t.SubscriptionID
	}
	if t.InvoiceID != "" {
		data["invoiceId"] = t.InvoiceID
	}
	if t.ChargeID != "" {
		data["chargeId"] = t.ChargeID
	}
	for k, v := range more {
		data[k] = v
	}
	return event.Event{
		Type: typ, ObjectID: t.ID, CustomerID: t.CustomerID, SubscriptionID: t.SubscriptionID, Data: data, OccurredAt: at,
	}
}

// FailedEvent announces an attempt that moved no money.
func (t Transaction) FailedEvent(at time.Time) event.Event {
	more := map[string]any{"failureReason": t.FailureReason, "failureCode": t.FailureCode}
	if t.AttemptNumber > 0 {
		more["attemptNumber"] = t.AttemptNumber
	}
	return t.Event(event.PaymentFailed, at, more)
}
