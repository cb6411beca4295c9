package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
)

func TestVoidInvoice_PastDueIsActiveAgain(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	_, err := l.apply(lifecycle.VoidInvoice{InvoiceID: l.store.invoices[0].ID})
	require.ErrorIs(t, err, collection.ErrInProgress)
	l.failToPastDue()
	l.writtenOff = true

	_, err = l.apply(lifecycle.VoidInvoice{InvoiceID: l.store.invoices[0].ID})

	require.NoError(t, err)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, 1, l.account.events[event.TypeInvoiceVoided])
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionActivated])
	require.Len(t, l.store.invoices, 1, "the period is not billed again")
	_, err = l.apply(lifecycle.VoidInvoice{InvoiceID: l.store.invoices[0].ID})
	require.Equal(t, "invoice_not_open", fault.From(err).Code)

	l.answer(l.charges()[0].ID, answer.Succeeded) // late

	require.Equal(t, money.Minor(1000), l.refunded(), "nothing is owed any more")
}

func TestMarkUncollectible_LateCapturePaysIt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.writtenOff = true

	_, err := l.apply(lifecycle.MarkUncollectible{InvoiceID: l.store.invoices[0].ID})

	require.NoError(t, err)
	require.Equal(t, invoice.Uncollectible, l.store.invoices[0].Status)
	require.Equal(t, 1, l.account.events[event.TypeInvoiceMarkedUncollectible])
	require.Equal(t, subscription.Active, l.sub().Status)

	l.answer(l.charges()[0].ID, answer.Succeeded)

	require.Equal(t, invoice.Paid, l.store.invoices[0].Status)
	require.Empty(t, l.refunds())
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}

// An amount below every card's minimum once blocked all later invoices.
func TestAdvance_AnAmountBelowTheMinimumBlocksNothing(t *testing.T) {
	t.Parallel()
	five, six := flat("plan_5", month, 500), flat("plan_6", month, 600)
	l := newLife(t, append(plans, five, six), settings, five, 0)
	l.store.provider.Limits = money.Limits{Minimum: 50}
	l.until(l.now)
	l.result(answer.Succeeded)
	l.pass(l.sub().CurrentPeriod.Duration() * 2 / 3)

	l.changePlan(six, false)

	carried := l.store.invoices[1]
	require.Equal(t, invoice.Paid, carried.Status)
	require.Equal(t, money.Minor(33), carried.CarriedForward)
	require.Equal(t, money.Minor(-33), l.store.balance)
	require.Nil(t, l.live(""))
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, money.Minor(633), l.live("").Amount)
	require.Equal(t, money.Minor(33), l.store.invoices[2].BroughtForward)
	require.Zero(t, l.store.balance)
}

// A payment may need review for ever: it once blocked every later invoice.
func TestVoidInvoice_AttemptThatNeedsReview(t *testing.T) {
	t.Parallel()
	for _, void := range []bool{true, false} {
		l := begun(t, settings)
		first := l.live("").ID
		l.mismatch(first)
		l.until(l.sub().CurrentPeriod.End)
		require.Len(t, l.store.invoices, 2)
		_, err := l.apply(lifecycle.Pay{})
		require.ErrorIs(t, err, lifecycle.ErrNeedsReview)

		l.giveUp(l.store.invoices[0], void)

		require.NotEqual(t, invoice.Open, l.store.invoices[0].Status)
		next := l.store.load(false).Attempt()
		require.NotNil(t, next, "the next invoice has its turn")
		require.Equal(t, l.store.invoices[1].ID, next.InvoiceID)
		require.Equal(t, payment.Pending, l.store.transaction(first).Status, "a person still has to look")

		l.answer(next.ID, answer.Succeeded)
		l.answer(first, answer.Succeeded)

		if void {
			require.Equal(t, money.Minor(1000), l.refunded(), "nothing was owed any more")
		} else {
			require.Equal(t, invoice.Paid, l.store.invoices[0].Status)
		}
	}
}

func TestVoidInvoice_RefusedWhereItCreditsPaidTime(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.answer(l.charges()[0].ID, answer.Succeeded)
	l.pass(14 * 24 * time.Hour)
	_, err := l.apply(lifecycle.ChangePlan{Plan: &pro})
	require.NoError(t, err)
	l.answer(l.charges()[1].ID, answer.Declined)

	_, err = l.apply(lifecycle.VoidInvoice{InvoiceID: l.store.invoices[1].ID})

	require.ErrorIs(t, err, lifecycle.ErrTakesTimeBack)
}
