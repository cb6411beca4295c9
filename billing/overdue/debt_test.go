package overdue_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
)

var (
	start = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	later = start.AddDate(0, 0, 14)
)

// Which open invoice is a debt, and since when.
func TestOf_EveryPhase(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		phase collection.Phase
		tried int
		due   time.Time
		want  time.Time // zero: no debt
	}{
		{"the first attempt is under way", collection.Charging, 1, time.Time{}, time.Time{}},
		{"a retry is under way", collection.Charging, 2, time.Time{}, start},
		{"a retry is scheduled", collection.Scheduled, 1, time.Time{}, start},
		{"no retry is left", collection.Exhausted, 4, time.Time{}, start},
		{"collection is paused before an attempt", collection.Exhausted, 0, time.Time{}, start},
		{"the subscription is canceled", collection.Closed, 1, time.Time{}, start},
		{"it waits for nothing older", collection.Waiting, 0, time.Time{}, time.Time{}},
		{"it is sent", collection.Waiting, 0, later, later},
		{"it is sent, and being paid", collection.Charging, 2, later, time.Time{}},
		{"it is sent, and nobody has paid", collection.Exhausted, 1, later, later},
	} {
		inv := invoice.Invoice{
			ID: "in_1", SubscriptionID: "sub_1", Status: invoice.Open, Currency: "USD", AmountDue: 100, IssuedAt: start,
			DueAt: c.due, Collection: collection.State{Phase: c.phase, Attempts: c.tried},
		}
		var want overdue.Debts
		if !c.want.IsZero() {
			want = overdue.Debts{{InvoiceID: "in_1", Currency: "USD", Amount: 100, Since: c.want}}
		}
		require.Equal(t, want, overdue.Of([]invoice.Invoice{inv}), c.name)
		for _, status := range []invoice.Status{
			invoice.InDraft, invoice.Paid, invoice.Void, invoice.Uncollectible, invoice.TakenBack,
		} {
			other := inv
			other.Status = status
			require.Empty(t, overdue.Of([]invoice.Invoice{other}), "%s, %s", c.name, status)
		}
		inv.AmountDue = 0
		require.Empty(t, overdue.Of([]invoice.Invoice{inv}), c.name)
	}
}

// A payment that begins when it was announced as overdue does not end that.
func TestOf_PaidTooLate(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{
		ID: "in_1", Status: invoice.Open, Currency: "USD", AmountDue: 100, IssuedAt: start, DueAt: later, OverdueAt: later,
		Collection: collection.State{Phase: collection.Charging, Attempts: 1},
	}
	require.Equal(t, overdue.Debts{{InvoiceID: "in_1", Currency: "USD", Amount: 100, Since: later}},
		overdue.Of([]invoice.Invoice{inv}))
}

// What replaces a debt is as old as that one, whatever becomes of its own payment.
func TestOf_ReplacesADebt(t *testing.T) {
	t.Parallel()
	for _, own := range []invoice.Invoice{
		{Collection: collection.State{Phase: collection.Charging, Attempts: 1}},
		{Collection: collection.State{Phase: collection.Waiting}, DueAt: later},
		{Collection: collection.State{Phase: collection.Scheduled, Attempts: 1}},
	} {
		own.ID, own.SubscriptionID, own.Status, own.Currency, own.AmountDue = "in_2", "sub_1", invoice.Open, "USD", 100
		own.IssuedAt, own.OwedSince = later, start
		waiting := invoice.Invoice{
			ID: "in_3", SubscriptionID: "sub_1", Status: invoice.Open, Currency: "USD", AmountDue: 7, IssuedAt: later,
			Collection: collection.State{Phase: collection.Waiting},
		}
		debts := overdue.Of([]invoice.Invoice{own, waiting})
		require.Equal(t, overdue.Debts{
			{InvoiceID: "in_2", Currency: "USD", Amount: 100, Since: start},
			{InvoiceID: "in_3", Currency: "USD", Amount: 7, Since: later},
		}, debts)
		require.Equal(t, start, debts.Since("in_2", start))
		require.Zero(t, debts.Since("in_2", start.Add(-1)), "not yet")
		require.Zero(t, debts.Since("in_1", later), "another one")
	}
}

// An invoice that waits its turn is as late as what it waits for.
func TestOf_WaitsBehindAnotherOfItsSubscription(t *testing.T) {
	t.Parallel()
	of := func(id, subscription string, phase collection.Phase, attempts int) invoice.Invoice {
		return invoice.Invoice{
			ID: id, SubscriptionID: subscription, Status: invoice.Open, Currency: "USD", AmountDue: 1, IssuedAt: start,
			Collection: collection.State{Phase: phase, Attempts: attempts},
		}
	}
	names := func(invoices ...invoice.Invoice) (ids []string) {
		for _, d := range overdue.Of(invoices) {
			ids = append(ids, d.InvoiceID)
		}
		return ids
	}
	waiting := of("in_2", "sub_1", collection.Waiting, 0)
	require.Equal(t, []string{"in_1", "in_2"}, names(of("in_1", "sub_1", collection.Scheduled, 1), waiting))
	require.Empty(t, names(of("in_1", "sub_1", collection.Charging, 1), waiting))
	require.Equal(t, []string{"in_1"}, names(of("in_1", "sub_2", collection.Scheduled, 1), waiting))
	require.Equal(t, []string{"in_1"},
		names(of("in_1", "", collection.Closed, 1), of("in_2", "", collection.Waiting, 0)), "manual invoices wait for none")
}

func TestDebts_At(t *testing.T) {
	t.Parallel()
	debts := overdue.Debts{
		{Currency: "USD", Amount: 5, Since: start.AddDate(0, 0, 2)}, {Currency: "EUR", Amount: 7, Since: later},
		{Currency: "USD", Amount: 11, Since: start},
	}
	require.Zero(t, debts.At(start.Add(-1)))
	require.Equal(t, overdue.Sums{
		Invoices: 1, Oldest: start, Amounts: []overdue.Amount{{Currency: "USD", Amount: 11}},
	}, debts.At(start))
	require.Equal(t, overdue.Sums{
		Invoices: 3, Oldest: start, Amounts: []overdue.Amount{{Currency: "EUR", Amount: 7}, {Currency: "USD", Amount: 16}},
	}, debts.At(later))
}
