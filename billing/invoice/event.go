package invoice

import "perennial/billing/event"

// Announced returns the invoice as events show it: the data of the interface specification, and ids that help a
// receiver.
func (i Invoice) Announced() event.Invoice {
	return event.Invoice{
		ID: i.ID, CustomerID: i.CustomerID, SubscriptionID: i.SubscriptionID, Discount: int64(i.Discount),
		Object: event.InvoiceObject{
			ID: i.ID, Object: "invoice", AmountDue: int64(i.AmountDue), Status: string(i.Status), Currency: string(i.Currency),
		},
	}
}
