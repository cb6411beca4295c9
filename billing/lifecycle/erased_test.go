package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// erase erases the customer's row. The erasure has not reached the subscription yet.
func (l *life) erase() {
	c := l.store.customer
	waits := len(l.sub().PendingLines)+len(l.store.drafts) > 0 // not billed any more
	l.writtenOff = l.writtenOff || waits
	l.store.customer = customer.Customer{ID: c.ID, TestClockID: c.TestClockID, ErasedAt: l.real}
}

// Between a deletion and the batch that cancels the subscription, any action may become due.
func TestAdvance_ErasedCustomerIsNotBilled(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*testing.T) *life{
		"renewal": func(t *testing.T) *life {
			l := begun(t, settings)
			l.result(answer.Succeeded)
			return l
		},
		"proration that waits": func(t *testing.T) *life {
			l := begun(t, settings)
			l.result(answer.Succeeded)
			l.how = subscription.NextInvoice
			l.changePlan(pro, false)
			return l
		},
		"trial end": func(t *testing.T) *life { return newLife(t, plans, settings, team, 14) },
		"retry": func(t *testing.T) *life {
			l := begun(t, settings)
			l.result(answer.Declined)
			return l
		},
		"past due": func(t *testing.T) *life {
			l := begun(t, settings)
			for l.sub().Status != subscription.PastDue {
				l.result(answer.Declined)
				l.toNext(0)
			}
			return l
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := begin(t)
			invoices, transactions := len(l.store.invoices), len(l.store.transactions)
			l.erase()
			l.moveTo(l.sub().NextActionAt)
			l.advance()
			require.Equal(t, subscription.Canceled, l.sub().Status)
			require.Equal(t, subscribing.ReasonCustomerDeleted, l.sub().CancelReason)
			require.Equal(t, subscription.ActionNone, l.sub().NextAction)
			require.Len(t, l.store.invoices, invoices)
			require.Len(t, l.store.transactions, transactions)
			require.Equal(t, 1, l.account.events[event.TypeSubscriptionCanceled])
		})
	}
}

// Payments in progress are completed: a capture counts, and a declined one is not retried.
func TestRecord_ErasedCustomer(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[answer.Outcome]invoice.Status{
		answer.Succeeded: invoice.Paid, answer.Declined: invoice.Open, answer.Canceled: invoice.Open,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			l := begun(t, settings)
			charge := l.charges()[0].ID
			l.send(charge)
			l.erase()
			l.answer(charge, outcome)
			require.Equal(t, subscription.Canceled, l.sub().Status)
			require.Equal(t, want, l.store.invoices[0].Status)
			require.Len(t, l.charges(), 1)
			require.False(t, l.sub().FinishedAt.IsZero())
		})
	}
}

func TestAdvance_ErasedCustomersAttemptIsCanceled(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.erase()
	l.advance()
	require.False(t, l.charges()[0].CancelRequestedAt.IsZero())
	require.Equal(t, payment.MoveAbandon, protocol.Next(l.charges()[0], false, l.real))
}

func TestApply_ErasedCustomer(t *testing.T) {
	t.Parallel()
	for _, cmd := range []lifecycle.Command{
		lifecycle.Cancel{Immediate: true}, lifecycle.Reactivate{}, lifecycle.ChangePlan{Plan: &pro},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		l.erase()
		_, err := l.apply(cmd)
		require.Equal(t, "subscription_canceled", fault.From(err).Code, cmd.Name())
	}
}
