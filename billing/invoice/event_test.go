package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/invoice"
)

func TestAnInvoiceAnnouncesItself(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1", Status: invoice.Paid, AmountDue: 700, Currency: "EUR"}

	require.Equal(t, event.Event{
		Type: event.TypeInvoicePaid, ObjectID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1", OccurredAt: now,
		Data: map[string]any{
			"id": "in_1", "customerId": "cust_1", "subscriptionId": "sub_1",
			"object": map[string]any{"id": "in_1", "object": "invoice", "amount_due": int64(700), "status": "paid", "currency": "EUR"},
		},
	}, inv.Event(event.TypeInvoicePaid, now))
}
