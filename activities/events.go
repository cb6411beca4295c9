package activities

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
)

// invoiceEvent has the data of the interface specification, plus ids that help a receiver.
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
