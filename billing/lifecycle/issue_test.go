package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// lineIDs returns the ids of an invoice's lines, in their order, without the invoice's id.
func lineIDs(inv invoice.Invoice) (ids []string) {
	for i, l := range inv.Lines {
		suffix := "/" + inv.ID + "/" + string(rune('0'+i))
		if len(l.ID) > len(suffix) && l.ID[len(l.ID)-len(suffix):] == suffix {
			ids = append(ids, l.ID[:len(l.ID)-len(suffix)])
		} else {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// The ids of lines sort by the time of their invoice's period, and within it by position, a millisecond apart. Only a
// person's invoices use real time: all others have the same ids after a restore. On the test clock of this subscription
// it is 31 January, 10:00 (1769853600000), when the real clock shows 2 February, 10:00 (1770026400000).
func TestIssue_IDsOfLines(t *testing.T) {
	t.Parallel()
	two, other := flat("plan_1", month, 1000, 500), flat("plan_2", month, 3000, 700)
	begin := func(t *testing.T) *life {
		t.Helper()
		l := newLife(t, []plan.Plan{two, other}, settings, two, 0)
		l.onClock()
		l.advance()
		l.result(answer.Succeeded)
		l.moveTo(created.Add(24 * time.Hour))
		l.real = created.Add(48 * time.Hour)
		return l
	}
	for name, c := range map[string]struct {
		issue func(*life)
		want  []string
	}{
		"of the first period": {func(*life) {}, []string{"il_1769853600000", "il_1769853600001"}},
		"of a change that a person makes": {
			func(l *life) { l.changePlan(other, false) },
			[]string{"il_1770026400000", "il_1770026400001", "il_1770026400002", "il_1770026400003"},
		},
		"of a change at a date, 1 February at 11:00": {
			func(l *life) {
				l.must(lifecycle.ChangePlan{Plan: &other, On: created.Add(25 * time.Hour)})
				l.moveTo(created.Add(25 * time.Hour))
				l.advance()
			},
			[]string{"il_1769943600000", "il_1769943600001", "il_1769943600002", "il_1769943600003"},
		},
		"of what waited when the subscription ended, 1 February at 10:00": {
			func(l *life) {
				l.how = subscription.NextInvoice
				l.changePlan(other, false)
				l.cancelNow(false)
			},
			[]string{"il_1769940000000", "il_1769940000001", "il_1769940000002", "il_1769940000003"},
		},
	} {
		l := begin(t)
		c.issue(l)
		require.Equal(t, c.want, lineIDs(l.last()), name)
	}
}

// Voiding an invoice whose payment needs review asks the provider to cancel it, which may happen once it is decided.
// Other payments in progress do not change.
func TestIssue_VoidCancelsItsPaymentOnly(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	first := l.live("").ID
	l.mismatch(first)
	l.until(l.sub().CurrentPeriod.End)

	l.giveUp(l.store.invoices[0], true)

	require.Equal(t, l.real, l.store.transaction(first).CancelRequestedAt)
	second := l.store.load(false).Attempt()
	require.Equal(t, l.store.invoices[1].ID, second.InvoiceID)
	require.Zero(t, second.CancelRequestedAt)
}

// The payment of an invoice that was given up still needs review when the subscription is canceled. Canceling calls off
// the attempt for the next invoice, but not the one that may still pay the debt.
func TestCancel_CallsOffTheAttemptOfItsInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	first := l.live("").ID
	l.mismatch(first)
	l.until(l.sub().CurrentPeriod.End)
	l.giveUp(l.store.invoices[0], false)
	second := l.store.load(false).Attempt().ID

	l.cancelNow(false)

	require.Zero(t, l.store.transaction(first).CancelRequestedAt)
	require.Equal(t, l.real, l.store.transaction(second).CancelRequestedAt)
}

// The payment of an invoice that was given up comes after a later invoice of the same period is paid: a refund begins
// with the later one.
func TestPaid_InTheOrderOfTheInvoices(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.giveUp(l.store.invoices[0], false) // 1000 of 31 January; the rest of the period is not owed
	l.pass(24 * time.Hour)
	l.must(lifecycle.ChangePlan{Plan: &pro})
	require.Len(t, l.store.invoices, 2)
	l.result(answer.Succeeded)

	l.answer(l.charges()[0].ID, answer.Succeeded)

	var paid []int64
	for _, inv := range l.store.load(false).Paid {
		paid = append(paid, inv.Number)
	}
	require.Equal(t, []int64{1, 2}, paid)
}

// A manual invoice belongs to no period, so refunds of a period leave it out.
func TestPaid_ManualInvoiceIsOfNoPeriod(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 1000, terms.Terms{}, 1000)
	state, changes, err := lifecycle.Finalize(d.state(), d.moment())
	require.NoError(t, err)
	require.Equal(t, [2]any{invoice.Paid, money.Minor(0)},
		[2]any{changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].Status, changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].AmountDue})
	require.Empty(t, state.Paid)
}
