package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// Decisions of ADR 64 that no other test of this package shows.

// Credit paid 40 of 100 and money 60. Half of the period is used for 50, which the money pays: 10 are refunded as
// money, and all of the credit is returned.
func TestCancel_MoneyPaysForTheTimeUsed(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.store.balance, l.store.granted = 400, 400 // as if it had been a grant, for the books
	l.until(created)
	require.Equal(t, [2]money.Minor{400, 600}, [2]money.Minor{l.last().CreditApplied, l.last().AmountDue})
	l.result(answer.Succeeded)
	l.pass(2 * week)
	l.cancelNow(true)
	require.Equal(t, money.Minor(-500), l.lastBack().Total)
	require.Equal(t, money.Minor(100), l.refunded())
	require.Equal(t, money.Minor(400), l.store.balance)
}

// A change to a plan of the same price sums to zero: a note over the credited time pays the invoice over the charged
// time. A period that costs nothing has no lines, and no document.
func TestChangePlan_NetsToNothing(t *testing.T) {
	t.Parallel()
	same := flat("plan_same", team.Interval, team.Prices[0].Amount)
	l := newLife(t, append([]plan.Plan{same}, plans...), settings, team, 0)
	l.until(created)
	l.result(answer.Succeeded)
	l.pass(2 * week)
	l.changePlan(same, false)
	inv := l.last()
	require.Equal(t, invoice.Paid, inv.Status)
	require.Equal(t, int64(2), inv.Number)
	require.Equal(t, [3]money.Minor{500, 500, 0}, [3]money.Minor{inv.Total, inv.CreditApplied, inv.AmountDue})
	note := l.store.notes[0]
	require.Equal(t, [3]money.Minor{500, 500, 0}, [3]money.Minor{note.Total, note.Balance, note.Refund})
	require.Equal(t, l.store.invoices[0].Lines[0].ID, note.Lines[0].InvoiceLineID)
	require.Zero(t, l.store.balance)

	l = newLife(t, plans, settings, free, 0)
	l.until(created)
	require.Empty(t, l.store.invoices)
}
