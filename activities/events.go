package activities

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
)

// The data of each event type is the interface specification's, plus ids that help a receiver.

func paymentEvent(typ event.Type, t payment.Transaction, at time.Time, more map[string]any) event.Event {
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

func paymentFailed(t payment.Transaction, at time.Time) event.Event {
	more := map[string]any{"failureReason": t.FailureReason, "failureCode": t.FailureCode}
	if t.AttemptNumber > 0 {
		more["attemptNumber"] = t.AttemptNumber
	}
	return paymentEvent(event.PaymentFailed, t, at, more)
}

func invoiceEvent(typ event.Type, i invoice.Invoice, at time.Time) event.Event {
	return event.Event{
		Type: typ, ObjectID: i.ID, CustomerID: i.CustomerID, SubscriptionID: i.SubscriptionID, OccurredAt: at,
		Data: map[string]any{
			"id": i.ID, "customerId": i.CustomerID, "subscriptionId": i.SubscriptionID,
			"object": map[string]any{
				"id": i.ID, "object": "invoice", "amount_due": int64(i.AmountDue), "status": string(i.Status), "currency": string(i.Currency),
			},
		},
	}
}

func invoiceIssued(i invoice.Invoice, at time.Time) event.Event {
	return invoiceEvent(event.InvoiceIssued, i, at)
}

func invoicePaid(i invoice.Invoice, at time.Time) event.Event {
	return invoiceEvent(event.InvoicePaid, i, at)
}

func invoiceVoided(i invoice.Invoice, at time.Time) event.Event {
	return invoiceEvent(event.InvoiceVoided, i, at)
}
