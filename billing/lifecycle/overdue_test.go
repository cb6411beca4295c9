package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// A payment that began in time delays the overdue state.
func TestOverdue_WaitsForThePaymentUnderWay(t *testing.T) {
	t.Parallel()
	for said, want := range map[answer.Outcome]subscription.Status{
		answer.Succeeded: subscription.Active, answer.Declined: subscription.PastDue,
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		send := terms.Send
		l.must(lifecycle.SetTerms{Method: &send, NetDays: new(int)})
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, subscription.ActionInvoiceOverdue, l.sub().NextAction)
		due := l.sub().NextActionAt
		l.must(lifecycle.Pay{InvoiceID: l.open()[0].ID})
		l.until(due.Add(time.Hour))
		require.Equal(t, subscription.Active, l.sub().Status)
		l.result(said)
		l.until(due.Add(2 * time.Hour))
		require.Equal(t, want, l.sub().Status)
	}
}

// The subscription was canceled while a renewal's invoice was a draft. It is sent to its customer, as agreed: nothing
// collects it, and after 14 days it is announced as overdue, once.
func TestOverdue_AfterTheCancellation(t *testing.T) {
	t.Parallel()
	l := gracedFor(t, 1, flat("plan_1", month, 1900))
	send, days := terms.Send, 14
	l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
	l.cancelNow(false)
	inv := l.open()[0]
	require.Equal(t, collection.State{Phase: collection.Closed}, inv.Collection)
	require.Empty(t, l.live(""))
	require.False(t, l.sub().FinishedAt.IsZero())

	l.account.events = map[event.Type]int{}
	l.until(inv.DueAt.Add(-time.Second))
	require.Zero(t, l.account.events[event.TypeInvoiceOverdue])
	l.must(lifecycle.Pay{InvoiceID: inv.ID})
	l.until(inv.DueAt.Add(time.Hour))
	require.Zero(t, l.account.events[event.TypeInvoiceOverdue], "a payment that began in time is waited for")
	l.result(answer.Declined)
	for range 2 {
		l.until(inv.DueAt.Add(2 * time.Hour))
		require.Equal(t, 1, l.account.events[event.TypeInvoiceOverdue])
	}
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, inv.DueAt.Add(2*time.Hour), l.store.invoice(inv.ID).OverdueAt)
}
