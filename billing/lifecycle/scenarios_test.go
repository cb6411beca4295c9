package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// begun returns a life on the plan team with a pending charge of the first invoice.
func begun(t *testing.T, settings subscription.Settings) *life {
	l := newLife(t, plans, settings, team, 0)
	l.until(created)
	return l
}

// failToPastDue fails every attempt until the last one: seven days.
func (l *life) failToPastDue() {
	for l.sub().Status != subscription.PastDue {
		l.result(answer.Declined)
		if l.sub().Status != subscription.PastDue {
			l.toNext(0)
		}
	}
}

func (l *life) totals() []money.Minor {
	var out []money.Minor
	for _, inv := range l.store.invoices {
		if inv.Status != invoice.Void {
			out = append(out, inv.Total)
		}
	}
	return out
}

func TestAdvance_TrialIsFreeThenBilled(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 14)
	l.changePlan(yearly, false)
	l.changePlan(pro, true)
	require.Empty(t, l.store.invoices)
	require.Equal(t, subscription.Trialing, l.sub().Status)
	end := l.sub().TrialEndsAt
	require.Equal(t, created.AddDate(0, 0, 14), end)

	l.until(end)

	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, period.Period{Start: end, End: time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC)}, l.sub().CurrentPeriod)
	require.Equal(t, []money.Minor{3000}, l.totals())
	require.Equal(t, invoice.Create, l.store.invoices[0].Reason)
	require.Zero(t, l.account.events[event.TypeSubscriptionActivated], "not before it is paid")
	l.result(answer.Succeeded)
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionActivated])
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}

func TestAdvance_FreePlanActivatesAtOnce(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, free, 0)
	l.until(created)
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionActivated])
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	require.Empty(t, l.store.invoices)
}

// Past due from 7 February. Three boundaries pass, then the first invoice is paid on 5 May.
func TestRecord_SuccessRecoversPastDue(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		billing subscription.PastDueBilling
		reasons []invoice.Reason
	}{
		{subscription.SkipPastDue, []invoice.Reason{invoice.Create, invoice.Recovery}},
		{subscription.AccruePastDue, []invoice.Reason{invoice.Create, invoice.Cycle, invoice.Cycle, invoice.Cycle}},
	} {
		settings := settings
		settings.PastDueBilling = c.billing
		l := begun(t, settings)
		l.failToPastDue()
		require.Equal(t, created.AddDate(0, 0, 7), l.sub().PastDueAt)
		require.Equal(t, 4, l.store.invoices[0].Collection.Attempts)
		l.until(time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC))

		l.pay()
		l.result(answer.Succeeded)

		require.Equal(t, subscription.Active, l.sub().Status, c.billing)
		require.Zero(t, l.sub().PastDueAt)
		var reasons []invoice.Reason
		for _, inv := range l.store.invoices {
			reasons = append(reasons, inv.Reason)
			require.Equal(t, money.Minor(1000), inv.Total)
		}
		require.Equal(t, c.reasons, reasons, c.billing)
		require.Equal(t, l.sub().CurrentPeriod, l.store.invoices[len(l.store.invoices)-1].Period)
		require.Equal(t, 30, l.sub().CurrentPeriod.Start.Day(), "the anchor is kept: 31 January, so 30 April")
	}
}

func TestAdvance_PastDueCancelsAfterDays(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.CancelAfter(10)
	l := begun(t, settings)
	l.failToPastDue()
	end := l.sub().PastDueAt.AddDate(0, 0, 10)
	_, err := subscribing.With(l.sub(), l.facts()).ExpirePastDue(end.Add(-1))
	require.Equal(t, subscribing.ErrPastDueNotEnded, err)
	_, err = subscribing.With(l.sub(), costing.Facts{}).ExpirePastDue(end)
	require.Equal(t, subscribing.ErrPastDueNotEnded, err, "off by default")

	l.until(end.Add(-1))
	require.Equal(t, subscription.PastDue, l.sub().Status)
	l.until(end)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, subscribing.ReasonPastDueExpired, l.sub().CancelReason)
}

func TestChangePlan_ReplacesOpenInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.until(created.AddDate(0, 0, 14)) // half of the 28 days

	l.changePlan(pro, false)

	old, now := l.store.invoices[0], l.store.invoices[1]
	require.Equal(t, now.ID, old.ReplacedBy)
	amounts := map[invoice.LineKind]money.Minor{}
	for _, line := range now.Lines {
		require.NotEqual(t, old.Lines[0].ID, line.ID, "another invoice's lines are its own")
		amounts[line.Kind] = line.Amount
	}
	require.Equal(t, map[invoice.LineKind]money.Minor{
		invoice.Recurring: 1000, invoice.ProrationCredit: -500, invoice.ProrationCharge: 1500,
	}, amounts)
	require.Equal(t, now.Lines[0].ID, now.Lines[1].Reverses, "the credit follows the line that it reverses")
}

// The old plan comes back within the period while the change before is unpaid: its billed lines are found.
func TestChangePlan_ThereAndBackWhileUnpaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.until(created.AddDate(0, 0, 7))
	l.changePlan(pro, false)
	l.result(answer.Declined)
	l.until(l.now.Add(time.Hour))
	l.changePlan(team, false)
	l.result(answer.Declined)
	l.until(l.now.Add(time.Hour))
	l.changePlan(free, false)
	require.LessOrEqual(t, len(l.open()), 1)
	require.LessOrEqual(t, l.store.balance, money.Minor(1000))
}

// The period began while past due, without an invoice: the change neither credits nor charges, and recovery bills it in
// full.
func TestChangePlan_InSkippedPeriodIsBilledOnRecovery(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.until(time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC))
	l.changePlan(pro, false)
	require.Equal(t, []money.Minor{1000}, l.totals())
	require.Equal(t, subscription.PastDue, l.sub().Status)

	l.pay()
	l.result(answer.Succeeded)

	require.Equal(t, []money.Minor{1000, 3000}, l.totals())
	require.Equal(t, invoice.Recovery, l.store.invoices[1].Reason)
}

// A period on a free plan needs no invoice, so it was not skipped: leaving the plan charges the rest, and recovery
// charges nothing twice.
func TestChangePlan_FromFreePlanWhilePastDueChargesRest(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.changePlan(free, false) // a quarter of the 28 days is used: 250 stay due
	l.result(answer.Declined)
	l.until(l.sub().CurrentPeriod.End)
	l.until(l.sub().CurrentPeriod.Start.Add(l.sub().CurrentPeriod.Duration() / 2))
	l.changePlan(pro, false)
	require.Equal(t, []money.Minor{250, 1500}, l.totals())

	l.pay()
	l.result(answer.Succeeded)

	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, []money.Minor{250, 1500}, l.totals())
}

// A command runs after all due actions, so the first period is open by then.
func TestApply_BeforeTheFirstPeriodIsOpened(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.schedule(lifecycle.Cancel{})
	require.Equal(t, []money.Minor{1000}, l.totals())
	require.Equal(t, subscription.ActionCancel, l.sub().NextAction)

	l.until(l.sub().CurrentPeriod.End.Add(-1))
	require.Equal(t, subscription.Active, l.sub().Status)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, []money.Minor{1000}, l.totals())
}

func TestApply_ChangeAtThePeriodsEnd(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.changePlan(yearly, true)
	require.Equal(t, team.ID, l.sub().PlanID)
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, yearly.ID, l.sub().PlanID)
	require.Equal(t, []money.Minor{1000, 12000}, l.totals())
}

func TestApply_MoreIsDueThanOneDecisionDoes(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.moveTo(l.now.AddDate(3, 0, 0))

	_, err := l.apply(lifecycle.Cancel{})
	require.Equal(t, lifecycle.ErrBehind, err)

	g := l.load(false)
	state, changes, err := lifecycle.Advance(g.state, l.moment())
	require.NoError(t, err)
	require.True(t, changes.Unfinished)
	l.write(g, state, changes)
	l.advance()
	require.Equal(t, l.now.Month(), l.sub().CurrentPeriod.Start.Month())
}
