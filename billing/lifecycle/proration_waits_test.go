package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

var small = flat("plan_small", month, 200)

// renewedWithCredit returns a life on the plan team, taxed by a fifth. The paid invoice of its second period includes
// the waiting lines of a change to the plan small at the beginning of the first one.
func renewedWithCredit(t *testing.T) *life {
	t.Helper()
	l := newLife(t, append(plans, small), settings, team, 0)
	l.store.taxRates = []tax.Definition{{Rate: tax.Rate{ID: "txr_1", Name: "VAT", Percent: money.Whole(20)}}}
	l.until(created)
	l.result(answer.Succeeded)
	l.how = "create"
	l.changePlan(small, false)
	l.changePlan(team, true)
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Succeeded)
	require.Equal(t, []money.Minor{1200, 240}, l.totals())
	return l
}

// A credit of an earlier period on this period's invoice does not reduce the value of this period's unused time.
func TestCancel_RefundsPeriodThatTookACreditIn(t *testing.T) {
	t.Parallel()
	l := renewedWithCredit(t)

	l.cancelNow(true)

	closing := l.lastBack()
	require.Equal(t, money.Minor(-1200), closing.Total)
	require.Equal(t, money.Minor(-200), closing.Tax, "the tax goes back with the line")
	require.Equal(t, money.Minor(240), l.refunded(), "all that was paid with money")
	require.Equal(t, money.Minor(960), l.store.balance, "the rest was paid by the credit")
}

// It does not count as returned either where a part of the payment was refunded.
func TestChangePlan_AfterRefundOfPeriodThatTookACreditIn(t *testing.T) {
	t.Parallel()
	l := renewedWithCredit(t)
	state := l.load(true).state
	charge := state.Captures[l.store.invoices[1].ID]
	charge.AmountRefunded = 1
	state.Captures[l.store.invoices[1].ID] = charge

	_, changes, err := lifecycle.Apply(state, lifecycle.ChangePlan{Plan: &free}, l.moment())

	require.NoError(t, err)
	require.Equal(t, money.Minor(-1199), changes.Invoices.Of(lifecycle.LinesTakenBack)[0].Total)
	require.Equal(t, invoice.ProrationCredit, changes.Invoices.Of(lifecycle.LinesTakenBack)[0].Lines[0].Kind)
}

// At a scheduled end, the waiting lines are collected once, as the renewal would have.
func TestAdvance_LastInvoiceIsTriedOnce(t *testing.T) {
	t.Parallel()
	for said, want := range map[answer.Outcome]invoice.Status{
		answer.Succeeded: invoice.Paid, answer.Declined: invoice.Open,
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		l.pass(2 * week)
		l.how = subscription.NextInvoice
		l.changePlan(pro, false)
		l.schedule(lifecycle.Cancel{})
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, subscription.Canceled, l.sub().Status)
		require.Equal(t, []money.Minor{1000, 1000}, l.totals())
		require.Equal(t, money.Minor(1000), l.live(l.store.invoices[1].ID).Amount)

		l.result(said)
		l.pass(4 * week)

		require.Equal(t, want, l.store.invoices[1].Status)
		require.Len(t, l.charges(), 2, "no retry")
		require.False(t, l.sub().FinishedAt.IsZero())
	}
}

// The attempt of the last invoice fails at once for a customer who cannot be charged.
func TestAdvance_LastInvoiceWithoutMethod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.how = subscription.NextInvoice
	l.changePlan(pro, false)
	l.schedule(lifecycle.Cancel{})
	l.newMethod(false)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, collection.Closed, l.store.invoices[1].Collection.Phase)
	require.False(t, l.sub().FinishedAt.IsZero())
	require.Equal(t, 1, l.account.events[event.TypeInvoicePaymentFailed])
}

// A renewal that credits only its own charges can be voided; one that credits paid time cannot.
func TestVoidInvoice_OfRenewalThatTookProrationsIn(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]error{free.ID: nil, team.ID: lifecycle.ErrTakesTimeBack} { // the paid plan
		l := newLife(t, append(plans, small), settings, free, 0)
		l.until(created)
		if first == team.ID {
			l.changePlan(team, false)
			l.result(answer.Succeeded)
		}
		l.how = subscription.NextInvoice
		l.changePlan(pro, false)
		l.pass(week)
		l.how = subscription.NextInvoice
		l.changePlan(small, false)
		l.until(l.sub().CurrentPeriod.End)
		l.result(answer.Declined)
		renewal := l.open()[0]
		l.writtenOff = true

		_, err := l.apply(lifecycle.VoidInvoice{InvoiceID: renewal.ID})

		require.Equal(t, want, err, first)
	}
}

// The quote of waiting lines has the taxes of their later invoice.
func TestPreview_QuotesWhatWaitsWithTaxes(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.store.taxRates = []tax.Definition{{Rate: tax.Rate{ID: "txr_1", Name: "VAT", Percent: money.Whole(20)}}}
	l.until(created)
	l.result(answer.Succeeded)

	shown, err := foresight.Preview(l.store.load(true),
		lifecycle.ChangePlan{Plan: &pro, Proration: subscription.NextInvoice}, 1, nil, l.moment())

	require.NoError(t, err)
	require.Equal(t, money.Minor(2400), shown.Quote.Waiting)
	require.Equal(t, money.Minor(6000), shown.Upcoming[0].Total)
}
