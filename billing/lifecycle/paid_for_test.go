package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// checkPaidFor checks that what was paid for before a change counts only as long as an invoice of the change is owed.
func (l *life) checkPaidFor() {
	s := l.sub()
	if s.PaidFor == nil || s.Status == subscription.PastDue {
		return
	}
	owed := func(inv invoice.Invoice) bool {
		return inv.Reason != invoice.Usage && inv.PeriodIndex >= s.PaidFor.PeriodIndex &&
			(inv.Status == invoice.Open || inv.Status == invoice.InDraft || inv.Status == invoice.Uncollectible)
	}
	if !slices.ContainsFunc(l.store.invoices, owed) && !slices.ContainsFunc(l.store.drafts, owed) {
		require.Failf(l.t, "no change is owed", "%+v of %+v", s.PaidFor, s)
	}
}

// access returns what the customer may use.
func (l *life) access() access.Answer {
	claim := access.Claim{Subscription: l.sub().AsPaid()}
	if inv := l.store.invoice(l.sub().CollectingInvoiceID); inv != nil {
		claim.Collecting = &inv.Collection
	}
	return access.Of(claim, l.decided())
}

func TestAccess_OfAnUpgradeThatIsDeclined(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	require.False(t, l.access().Allowed, "not before the first payment")
	l.result(answer.Succeeded)
	paid := l.access()
	require.Equal(t, []any{true, access.Paid, team.ID}, []any{paid.Allowed, paid.Reason, paid.PlanID})
	l.pass(24 * time.Hour)

	l.changePlan(pro, false)

	require.Equal(t, pro.ID, l.sub().PlanID)
	got := l.access()
	require.Equal(t, []any{true, access.Pending, team.ID}, []any{got.Allowed, got.Reason, got.PlanID})
	require.EqualValues(t, 1, l.sub().AsPaid().Quantity)
	l.result(answer.Declined)
	got = l.access()
	require.Equal(t, []any{true, access.Retrying, team.ID}, []any{got.Allowed, got.Reason, got.PlanID})

	l.failToPastDue()
	got = l.access()
	require.Equal(t, []any{true, access.Paid, team.ID}, []any{got.Allowed, got.Reason, got.PlanID})
	require.Equal(t, l.sub().PaidThrough, got.Until)
	require.Equal(t, paid.Until, got.Until)

	_, err := l.apply(lifecycle.Pay{})
	require.NoError(t, err)
	l.result(answer.Succeeded)
	got = l.access()
	require.Equal(t, []any{true, access.Paid, pro.ID}, []any{got.Allowed, got.Reason, got.PlanID})
	require.Nil(t, l.sub().PaidFor)
}

func TestAccess_OfAnUpgradeThatIsNotPaidEndsWithThePaidTime(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)
	end := l.sub().CurrentPeriod.End
	l.changePlan(pro, false)
	l.failToPastDue()

	l.until(end)

	require.Equal(t, []any{false, access.PastDue}, []any{l.access().Allowed, l.access().Reason})
}

func TestAccess_OfChangesThatCostNothingNow(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)

	l.how = subscription.NextInvoice
	l.changePlan(pro, false)
	require.Equal(t, pro.ID, l.access().PlanID, "its lines wait for the next invoice")

	l.how = ""
	l.changePlan(team, false)
	require.Equal(t, team.ID, l.access().PlanID, "a downgrade gives money back")
	require.Nil(t, l.sub().PaidFor)

	l.changePlan(pro, false)
	l.result(answer.Declined)
	l.changePlan(free, false)
	require.Equal(t, free.ID, l.access().PlanID, "the unpaid upgrade is replaced")
}

func TestAccess_OfAnUpgradeThatIsGivenUp(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)
	l.changePlan(pro, false)
	l.result(answer.Declined)
	_, err := l.apply(lifecycle.MarkUncollectible{InvoiceID: l.sub().CollectingInvoiceID})
	require.NoError(t, err)

	require.Equal(t, team.ID, l.access().PlanID, "it stays owed")

	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, team.ID, l.access().PlanID)
	l.result(answer.Succeeded)
	require.Equal(t, pro.ID, l.access().PlanID, "the next period is paid at its price")
}

// Money that comes late for the period, which was given up before the upgrade, pays for no upgrade that is owed.
func TestAccess_OfAnUpgradeIsNotPaidByLateMoneyForThePeriod(t *testing.T) {
	t.Parallel()
	for _, upgradeGivenUp := range []bool{false, true} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		l.renewed(false)
		renewal := l.last()
		l.writtenOff = true
		l.must(lifecycle.MarkUncollectible{InvoiceID: renewal.ID})
		l.pass(24 * time.Hour)
		l.changePlan(pro, false)
		l.result(answer.Declined)
		upgrade := l.last()
		require.Equal(t, renewal.PeriodIndex, upgrade.PeriodIndex)
		if upgradeGivenUp {
			l.must(lifecycle.MarkUncollectible{InvoiceID: upgrade.ID})
		}

		l.must(lifecycle.MarkPaid{InvoiceID: renewal.ID, Method: "bank_transfer", Closed: l.store.invoice(renewal.ID)})
		require.Equal(t, invoice.Paid, l.store.invoice(renewal.ID).Status)
		require.Equal(t, team.ID, l.access().PlanID, "the upgrade is owed")

		pays := lifecycle.MarkPaid{InvoiceID: upgrade.ID, Method: "bank_transfer"}
		if upgradeGivenUp {
			pays.Closed = l.store.invoice(upgrade.ID)
		}
		l.must(pays)
		require.Equal(t, pro.ID, l.access().PlanID)
		require.Nil(t, l.sub().PaidFor)
	}
}

// A period that began while past due was changed to a free plan and then to one whose lines wait for the next invoice:
// once the old debt is paid, nothing is to be paid for the change now.
func TestAccess_OfAChangeWhoseLinesWaitWhenADebtIsPaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.renewed(false)
	l.failToPastDue()
	l.until(l.sub().CurrentPeriod.End) // the next one is not billed
	l.pass(24 * time.Hour)
	l.changePlan(free, false)
	require.NotNil(t, l.sub().PaidFor)
	l.how = subscription.NextInvoice
	l.changePlan(pro, false)
	require.NotEmpty(t, l.sub().PendingLines)

	l.must(lifecycle.Pay{})
	l.result(answer.Succeeded)

	require.Equal(t, subscription.Active, l.sub().Status)
	require.Nil(t, l.sub().PaidFor)
	require.Equal(t, pro.ID, l.access().PlanID)
}

// Late money for an upgrade that was given up pays for it, also while another change waits for its own payment.
func TestAccess_OfAnUpgradeThatIsPaidLateBesideAChangeThatWaits(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	dearest := flat("plan_dearest", month, 9000) // of the same period
	l.store.plans[dearest.Ref()] = dearest
	l.result(answer.Succeeded)
	l.pass(24 * time.Hour)
	l.changePlan(pro, false)
	l.result(answer.Declined)
	upgrade := l.last()
	l.writtenOff = true
	l.must(lifecycle.MarkUncollectible{InvoiceID: upgrade.ID})
	l.pass(time.Hour)
	l.must(lifecycle.ChangePlan{Plan: &dearest, Behavior: subscription.PendPayment})
	require.NotNil(t, l.sub().PendingChange)

	l.must(lifecycle.MarkPaid{InvoiceID: upgrade.ID, Method: "bank_transfer", Closed: l.store.invoice(upgrade.ID)})

	require.Nil(t, l.sub().PaidFor)
	require.Equal(t, pro.ID, l.access().PlanID)
	require.NotNil(t, l.sub().PendingChange, "it waits on")
}
