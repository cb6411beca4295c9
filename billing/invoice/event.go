package invoice

import (
	"time"

	"perennial/billing/event"
)

// Event announces something about the invoice: the data of the interface specification, plus ids that help a receiver.
// at is the subscription's own time.
func (i Invoice) Event(typ event.Type, at time.Time) event.Event {
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
