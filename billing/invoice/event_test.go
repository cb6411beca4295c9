package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/invoice"
)

func TestAnnounced_CarriesWhatTheInterfaceShows(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{
		ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1", Status: invoice.Paid, AmountDue: 700, Currency: "EUR",
	}

	require.Equal(t, event.Invoice{
		ID: "in_1", CustomerID: "cust_1", SubscriptionID: "sub_1",
		Object: event.InvoiceObject{ID: "in_1", Object: "invoice", AmountDue: 700, Status: "paid", Currency: "EUR"},
	}, inv.Announced())
}
