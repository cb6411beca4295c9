package api

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/httpkit"
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/period"
	"perennial/db"
	"perennial/internal/id"
)

// newInvoice issues an open invoice that is not collected yet.
func (b *bench) newInvoice(t testing.TB, e opened, subscriptionID string) string {
	t.Helper()
	sub, err := b.store.Subscriptions.Get(t.Context(), e.environmentID, subscriptionID)
	require.NoError(t, err)
	now := b.clock()
	span := period.Period{Start: sub.CurrentPeriod.Start, End: sub.CurrentPeriod.End}
	inv := invoice.Invoice{
		ID: id.New(id.Invoice, now), CustomerID: sub.CustomerID, SubscriptionID: sub.ID, Status: invoice.Open,
		Reason: invoice.Create, Currency: sub.Currency, Total: 1900, AmountDue: 1900, Period: span,
		Collection: collection.State{Phase: collection.Closed},
		Lines: []invoice.Line{{
			ID: id.New(id.InvoiceLine, now), Kind: invoice.Recurring, Description: "Pro", PlanID: sub.PlanID, Amount: 1900,
			Period: span,
		}},
		IssuedAt: now, CreatedAt: now,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) error { return tx.Invoices.Insert(ctx, e.environmentID, inv) })
	return inv.ID
}

func TestGetInvoice_WithLines(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	invoiceID := b.newInvoice(t, b.test, sub.ID)

	got := as[Invoice](t, http.StatusOK, b.ask(t, b.test, "GET", "/v1/invoices/"+invoiceID, nil))
	require.Equal(t, "open", got.Status)
	require.EqualValues(t, 1, got.Number)
	require.EqualValues(t, 1900, got.AmountDue)
	require.Equal(t, got.AmountDue, got.AmountDueCamel)
	require.Len(t, got.Lines, 1)
	require.EqualValues(t, 1900, got.Lines[0].Amount)

	for query, want := range map[string]int{
		"": 1, "?status=open": 1, "?status=paid": 0, "?subscriptionId=" + sub.ID: 1, "?customerId=" + sub.CustomerID: 1,
		"?customerId=" + id.New(id.Customer, b.clock()): 0,
	} {
		list := as[httpkit.List[Invoice]](t, http.StatusOK, b.ask(t, b.test, "GET", "/api/invoices"+query, nil))
		require.Len(t, list.Data, want, query)
	}
}
