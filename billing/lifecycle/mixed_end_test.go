package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/overdue"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// A year of support is not paid when the subscription ends with its monthly plan: what is left of it is not owed.
func TestMixed_EndWithAnUnpaidLongInvoice(t *testing.T) {
	t.Parallel()
	l := declinedLife(t, team, support)
	l.must(lifecycle.Cancel{})
	l.untilPastDue()
	was := l.last()

	l.until(ofMonths.Boundary(1))

	require.Equal(t, subscription.Canceled, l.sub().Status)
	used := 36_000 - rest(36_000, firstYear, ofMonths.Boundary(1))
	require.Equal(t, []money.Minor{1_000 + used}, l.totals())
	require.Equal(t, []any{invoice.Void, l.last().ID}, []any{l.store.invoice(was.ID).Status, l.store.invoice(was.ID).ReplacedBy})
	require.Equal(t, invoice.Open, l.last().Status)
	require.Nil(t, l.live(""), "nothing is tried after the end")
	require.Zero(t, l.store.balance)
}

// Also where that invoice is of a month before, and those since were skipped.
func TestMixed_EndWithAnOlderUnpaidLongInvoice(t *testing.T) {
	t.Parallel()
	for _, billing := range []subscription.PastDueBilling{subscription.SkipPastDue, subscription.AccruePastDue} {
		l := declinedLife(t, team, support)
		l.store.settings.PastDueBilling, l.account.settings.PastDueBilling = billing, billing
		l.untilPastDue()
		l.until(ofMonths.Boundary(2).AddDate(0, 0, 3))
		l.must(lifecycle.Cancel{})

		l.until(ofMonths.Boundary(3))

		require.Equal(t, subscription.Canceled, l.sub().Status)
		var lines []money.Minor
		for _, inv := range l.store.all() {
			for _, line := range inv.Lines {
				if inv.Status == invoice.Open && line.PlanID == support.ID {
					lines = append(lines, line.Amount)
				}
			}
		}
		require.Equal(t, []money.Minor{36_000, -rest(36_000, firstYear, ofMonths.Boundary(3))}, lines)
		require.Zero(t, l.store.balance)
	}
}

// An open invoice is reduced by the time of what it bills alone: an add-on that is paid elsewhere becomes credit.
func TestMixed_EndWithAnOlderInvoiceOfAnotherAddOn(t *testing.T) {
	t.Parallel()
	half := addOnOf("plan_half", quarterly(2), 6_000)
	skip := settings
	skip.PastDueBilling = subscription.SkipPastDue
	l := newLifeOf(t, []plan.Plan{team, support, half}, skip, team, subscribing.NewInput{AddOns: *choose(support)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.months(1)
	l.must(lifecycle.ChangePlan{AddOns: choose(support, half)})
	l.untilPastDue()
	l.until(ofMonths.Boundary(2).AddDate(0, 0, 3))
	l.must(lifecycle.Cancel{})

	l.until(ofMonths.Boundary(3))

	require.Equal(t, subscription.Canceled, l.sub().Status)
	own := period.Period{Start: created, End: ofMonths.Boundary(6)}
	used := rest(6_000, own, ofMonths.Boundary(1)) - rest(6_000, own, ofMonths.Boundary(3))
	require.Equal(t, []any{used, invoice.Paid}, []any{l.last().Total, l.last().Status}, "the credit pays it")
	require.Equal(t, rest(36_000, firstYear, ofMonths.Boundary(3))-used, l.store.balance)
}

// A payment that is still under way for the whole year goes back, as after an immediate cancellation.
func TestMixed_EndDuringAPayment(t *testing.T) {
	t.Parallel()
	l := declinedLife(t, team, support)
	l.must(lifecycle.Cancel{})
	l.until(ofMonths.Boundary(1).AddDate(0, 0, -1))
	paying := l.live("").ID
	l.until(ofMonths.Boundary(1))

	l.answer(paying, answer.Succeeded)

	require.EqualValues(t, 37_000, l.refunded())
	require.Equal(t, invoice.Open, l.last().Status)
}

// A pause without credit, and an end at once without a refund, give nothing back: of no own period, however long.
func TestMixed_NothingBackUnlessItIsAskedFor(t *testing.T) {
	t.Parallel()
	expires := settings
	expires.Dunning.CancelAfter(20)
	for name, ends := range map[string]func(*life){
		"a pause":        func(l *life) { l.must(lifecycle.Pause{}) },
		"a cancellation": func(l *life) { l.must(lifecycle.Cancel{Immediate: true}) },
		"past due for too long": func(l *life) {
			l.untilPastDue()
			l.until(l.now.AddDate(0, 0, 25))
			require.Equal(t, subscribing.ReasonPastDueExpired, l.sub().CancelReason)
		},
		"debts elsewhere": func(l *life) {
			s := l.store.load(false)
			s.Customer.Overdue = overdue.Standing{State: "ended", Canceling: true, Since: l.now}
			state, _, err := lifecycle.CancelForDebt(s, l.moment())
			require.NoError(t, err)
			require.Equal(t, subscribing.ReasonCustomerOverdue, state.Subscription.CancelReason)
			require.Zero(t, state.Balance)
		},
	} {
		l := newLifeOf(t, []plan.Plan{team, support}, expires, team, subscribing.NewInput{AddOns: *choose(support)})
		l.mixed = true
		l.until(created)
		l.payAll()
		l.months(2)
		l.until(l.now.AddDate(0, 0, 3))

		ends(l)

		require.Zero(t, l.store.balance+l.refunded(), name)
		require.Equal(t, l.capturedSum(), l.billedSum(), name)
	}
}

// Money that went back without a credit note bounds what the end with the plan gives back of a longer own period: all
// that is kept, and nothing twice. The preview of the cancellation shows the same.
func TestMixed_EndAfterARefund(t *testing.T) {
	t.Parallel()
	unused := rest(36_000, firstYear, ofMonths.Boundary(3))
	for refunded, want := range map[money.Minor]money.Minor{0: unused, 20_000: 39_000 - 20_000, 37_000: 2_000} {
		l := mixedLife(t, team, support)
		l.months(2)
		if refunded > 0 {
			l.reviewed = true // the books of a life lack a person's own refunds
			s := lifecycle.State{Customer: l.store.customer}
			changes, err := lifecycle.RefundCharge(s, l.charges()[0], refunded, l.moment())
			require.NoError(t, err)
			l.store.write(changes)
		}
		before := l.store.load(false)
		require.False(t, before.MayGiveBack())
		require.True(t, before.NeedsCaptures(lifecycle.Cancel{}))

		shown, err := foresight.Preview(l.store.load(true), lifecycle.Cancel{}, 1, nil, l.moment())
		require.NoError(t, err)
		l.must(lifecycle.Cancel{})
		require.True(t, l.store.load(false).MayGiveBack())
		l.months(1)

		require.Equal(t, subscription.Canceled, l.sub().Status)
		require.Equal(t, want, l.store.balance, "%d refunded", refunded)
		var back money.Minor
		for _, n := range shown.UpcomingNotes {
			back += n.Total
		}
		require.Equal(t, want, back, "%d refunded", refunded)
	}
}

// Where no add-on is paid for longer than the plan's next boundary could be, nothing can go back: no refund is read.
func TestMayGiveBack_NothingLonger(t *testing.T) {
	t.Parallel()
	monthly := addOnOf("plan_storage", month, 100)
	l := newLifeOf(t, []plan.Plan{team, monthly}, settings, team, subscribing.NewInput{AddOns: *choose(monthly)})
	l.mixed = true
	l.until(created)
	l.payAll()
	require.False(t, l.store.load(false).NeedsCaptures(lifecycle.Cancel{}))
	require.True(t, l.store.load(false).NeedsCaptures(lifecycle.Cancel{Immediate: true, RefundUnused: true}))
	l.must(lifecycle.Cancel{})
	require.False(t, l.store.load(false).MayGiveBack())
}

// billedSum returns the sum of all paid invoices.
func (l *life) billedSum() (sum money.Minor) {
	for _, inv := range l.store.all() {
		if inv.Status == invoice.Paid {
			sum += inv.Total
		}
	}
	return sum
}
