package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// setUp returns team with a setup fee of 5000.
func setUp() plan.Plan {
	p := flat("plan_setup", month, 1000, 5000)
	p.Prices[1].Name, p.Prices[1].Once = "Setup", true
	return p
}

func TestFees_AreOnTheFirstInvoiceOnly(t *testing.T) {
	t.Parallel()
	for name, trialDays := range map[string]int{"at once": 0, "after a trial": 14} {
		l := newLife(t, []plan.Plan{setUp()}, settings, setUp(), trialDays)
		require.Len(t, l.sub().Items, 1, "a fee is no item")
		l.until(l.sub().CurrentPeriod.Start)
		if trialDays > 0 {
			require.Empty(t, l.store.invoices, name)
			l.until(l.sub().TrialEndsAt)
		}
		first := l.store.invoices[0]
		require.Equal(t, money.Minor(6000), first.Total, name)
		fee := first.Lines[1]
		require.Equal(t, []any{invoice.OneOff, "plan_setup – Setup", money.Minor(5000), "1", "50.00", "", false},
			[]any{fee.Kind, fee.Description, fee.Amount, fee.Quantity, fee.UnitPrice, fee.ItemID, fee.Prorated()}, name)
		l.result(answer.Succeeded)

		l.until(l.sub().CurrentPeriod.End)

		require.Equal(t, []money.Minor{6000, 1000}, l.totals(), name)
	}
}

// A change within the first period, or an end with a refund, prorates periodic prices and keeps fees whole.
func TestFees_AreNeverDivided(t *testing.T) {
	t.Parallel()
	all := append([]plan.Plan{setUp()}, plans...)
	l := newLife(t, all, settings, setUp(), 0)
	l.until(created)
	l.result(answer.Succeeded)
	l.pass(2 * week)
	l.changePlan(pro, false)
	require.Equal(t, money.Minor(1500-500), l.store.invoices[1].Total)

	l = newLife(t, all, settings, setUp(), 0)
	l.until(created)
	l.failToPastDue()
	l.until(created.AddDate(0, 0, 14))
	l.changePlan(pro, false) // the new invoice includes the open one, with its fee
	require.Equal(t, []money.Minor{6000 - 500 + 1500}, l.totals())
}

// A fee makes the start of an otherwise free plan cost something.
func TestFees_OfAFreePlan(t *testing.T) {
	t.Parallel()
	p := flat("plan_fee", month, 0, 700)
	p.Prices[1].Once = true
	require.True(t, p.Free())
	require.False(t, p.FreeFromTheStart())
	l := newLife(t, []plan.Plan{p}, settings, p, 0)
	l.until(created)
	require.Equal(t, []money.Minor{700}, l.totals())
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{700}, l.totals())
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}
