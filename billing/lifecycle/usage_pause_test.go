package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/billing/terms"
	"perennial/billing/usage"
)

// pausedCalling pauses after ten days with 100 calls, and issues their invoice.
func pausedCalling(t *testing.T) (l *life, used invoice.Invoice) {
	t.Helper()
	l = calling(t, 0)
	l.pass(10 * 24 * time.Hour)
	l.call(created.Add(time.Hour), 100)
	l.must(lifecycle.Pause{})
	require.Equal(t, [2]any{subscription.Paused, subscription.ActionBillUsage}, [2]any{l.sub().Status, l.sub().NextAction})
	return l, *l.issue()
}

// A pause bills the usage before it when it begins, since it may have no end. The invoice is collected as usual.
func TestPause_BillsWhatWasUsedBefore(t *testing.T) {
	t.Parallel()
	l, used := pausedCalling(t)
	require.Equal(t, [3]any{invoice.Usage, money.Minor(300), invoice.Open}, [3]any{used.Reason, used.Total, used.Status})
	l.result(answer.Declined)
	require.Equal(t, subscription.ActionPaymentRetry, l.sub().NextAction)
	l.until(l.sub().NextActionAt)
	l.result(answer.Succeeded)
	require.Equal(t, invoice.Paid, l.store.invoice(used.ID).Status)
	require.Equal(t, subscription.Paused, l.sub().Status)
	require.Equal(t, l.sub().PausedAt, l.sub().PaidThrough)
	l.must(lifecycle.Resume{})
	require.Equal(t, money.Minor(1900), l.last().Total)
	require.Nil(t, l.issue(), "nothing of before the pause is left")
}

// If that invoice is unpaid, the subscription is past due when the pause ends.
func TestPause_WhatIsNotPaidIsPastDueAfterwards(t *testing.T) {
	t.Parallel()
	l, used := pausedCalling(t)
	for range 4 {
		l.result(answer.Declined)
		l.pass(5 * 24 * time.Hour)
	}
	require.Equal(t, subscription.Paused, l.sub().Status)
	require.Zero(t, l.account.events[event.TypeSubscriptionPastDue])
	l.must(lifecycle.Resume{})
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionPastDue])
	l.must(lifecycle.Pay{})
	l.result(answer.Succeeded)
	require.Equal(t, invoice.Paid, l.store.invoice(used.ID).Status)
	require.Equal(t, subscription.Active, l.sub().Status)
}

// In a pause without an end, late records of the time before are billed once no more records may come.
func TestPause_BillsLateRecordsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	l, _ := pausedCalling(t)
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)
	l.call(created.Add(2*time.Hour), 7)
	late := l.sub().PausedAt.Add(usage.MaxAge)
	require.Equal(t, subscription.ActionBillUsage, l.sub().NextAction)
	require.True(t, l.sub().NextActionAt.After(late))

	l.lazy = false
	l.until(late.Add(24 * time.Hour))

	last := l.last()
	require.Equal(t, [2]any{invoice.Usage, money.Minor(21)}, [2]any{last.Reason, last.Total})
	require.Equal(t, subscription.ActionNone, l.sub().NextAction)
	l.result(answer.Succeeded)
}

// A sent invoice is overdue from its date on, also in a pause without an end: before that the subscription resumes as
// active, and afterwards as past due.
func TestPause_SentInvoiceOfUsage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		days int
		want subscription.Status
	}{"before it is due": {2, subscription.Active}, "when it is overdue": {9, subscription.PastDue}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := calling(t, 0)
			send, days := terms.Send, 7
			l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
			l.pass(10 * 24 * time.Hour)
			l.call(created.Add(time.Hour), 100)
			l.must(lifecycle.Pause{})
			require.NotNil(t, l.issue())
			require.Equal(t, subscription.ActionInvoiceOverdue, l.sub().NextAction)
			l.pass(time.Duration(c.days) * 24 * time.Hour)
			require.Equal(t, subscription.Paused, l.sub().Status)

			l.must(lifecycle.Resume{})

			require.Equal(t, c.want, l.sub().Status)
		})
	}
}
