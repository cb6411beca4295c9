package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// paidHalf returns a life on the plan team in the middle of its first period, which is paid and has 28 days.
func paidHalf(t *testing.T) *life {
	t.Helper()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.until(created.AddDate(0, 0, 14))
	return l
}

func TestPause_BillsNothingUntilResumed(t *testing.T) {
	t.Parallel()
	for credit, balance := range map[bool]money.Minor{false: 0, true: 500} {
		l := paidHalf(t)
		l.must(lifecycle.Pause{CreditUnused: credit})
		paused := l.now
		require.Equal(t, balance, l.store.balance)
		require.Equal(t, subscription.ActionNone, l.sub().NextAction)
		require.Equal(t, paused, l.sub().PaidThrough, "what was unused is credited or lost")

		l.until(created.AddDate(1, 0, 5))
		require.Equal(t, subscription.Paused, l.sub().Status)
		require.Zero(t, l.account.events[event.TypeSubscriptionRenewed])
		l.must(lifecycle.Resume{})

		require.Equal(t, l.now, l.sub().AnchorAt)
		require.Equal(t, period.Period{Start: l.now, End: l.now.AddDate(0, 1, 0)}, l.sub().CurrentPeriod)
		last := l.store.invoices[len(l.store.invoices)-1]
		require.Equal(t, [3]any{invoice.Cycle, money.Minor(1000), balance},
			[3]any{last.Reason, last.Total, last.CreditApplied})
		require.Equal(t, 2, last.PeriodIndex, "none is counted")
		l.result(answer.Succeeded)
		require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
	}
}

// A pause ends on schedule, also if processed two periods late: each period is billed, counted from the scheduled end.
func TestPause_ResumesOnSchedule(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	end := l.now.AddDate(0, 0, 40)
	l.must(lifecycle.Pause{ResumesAt: end})
	require.Equal(t, subscription.ActionResume, l.sub().NextAction)
	l.late = true

	l.until(end.AddDate(0, 2, 1))

	require.Equal(t, end, l.sub().AnchorAt)
	require.Equal(t, []money.Minor{1000, 1000, 1000, 1000}, l.totals())
	require.Equal(t, end, l.store.invoices[1].Period.Start)
}

func TestPause_EndIsMovedByAnother(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	l.must(lifecycle.Pause{ResumesAt: l.now.AddDate(0, 1, 0)})
	later := l.now.AddDate(0, 2, 0)
	l.must(lifecycle.Pause{ResumesAt: later})
	require.Equal(t, later, l.sub().NextActionAt)
	l.must(lifecycle.Pause{})
	require.Equal(t, subscription.ActionNone, l.sub().NextAction)

	_, err := l.apply(lifecycle.Pause{CreditUnused: true})
	require.ErrorIs(t, err, subscribing.ErrPaused, "the unused time is settled already")
	for _, at := range []time.Time{l.now, l.now.AddDate(3, 0, 0)} {
		_, err = l.apply(lifecycle.Pause{ResumesAt: at})
		require.ErrorContains(t, err, "resumes_at_out_of_range")
	}
}

// The waiting amount may exceed the credit: then both wait, and the customer is charged nothing.
func TestPause_CreditWaitsWithWhatIsOwed(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	l.how = subscription.NextInvoice
	l.changePlan(pro, false)
	l.must(lifecycle.Pause{CreditUnused: true})
	require.Equal(t, money.Minor(-500), l.lastBack().Total, "the change at this instant is taken back too")

	l = paidHalf(t)
	l.how = subscription.NextInvoice
	l.changePlan(pro, false)
	l.pass(week)
	l.must(lifecycle.Pause{CreditUnused: true})
	require.Len(t, l.store.invoices, 1)
	require.Len(t, l.sub().PendingLines, 3)
	l.must(lifecycle.Resume{})
	require.Equal(t, []money.Minor{1000, 3250}, l.totals(), "a quarter of pro less the half of team, and a period of pro")
}

func TestPause_IsRefused(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	_, err := l.apply(lifecycle.Pause{})
	require.ErrorIs(t, err, subscribing.ErrInvoiceOpen, "it is being charged")
	l.result(answer.Succeeded)
	l.schedule(lifecycle.Cancel{})
	_, err = l.apply(lifecycle.Pause{})
	require.ErrorIs(t, err, subscribing.ErrEnding)
	l.schedule(lifecycle.Reactivate{})
	l.must(lifecycle.Pause{})
	_, err = l.apply(lifecycle.ChangePlan{Plan: &pro, AtPeriodEnd: true})
	require.ErrorIs(t, err, subscribing.ErrPaused)
}

// Changes at the end of the period wait for the end of the pause.
func TestPause_ChangesWaitForTheResumption(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	l.changePlan(yearly, true)
	l.must(lifecycle.Pause{})
	l.pass(60 * 24 * time.Hour)
	l.must(lifecycle.Resume{})
	require.Equal(t, yearly.ID, l.sub().PlanID)
	require.Equal(t, period.Period{Start: l.now, End: l.now.AddDate(1, 0, 0)}, l.sub().CurrentPeriod)
}

// Two periods must not begin at the same second: their invoices would have the same id.
func TestResume_WithinTheSecondOfThePeriod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.must(lifecycle.Pause{CreditUnused: true})
	_, err := l.apply(lifecycle.Resume{})
	require.ErrorIs(t, err, subscribing.ErrSameInstant)

	l.pass(time.Second)
	l.must(lifecycle.Resume{})

	require.Equal(t, created.Add(time.Second), l.sub().CurrentPeriod.Start)
	require.Equal(t, []money.Minor{1000, 1000}, l.totals())
	require.Equal(t, money.Minor(-1000), l.lastBack().Total)
}

// A paused subscription has no period that it could end with, and no unused time to refund.
func TestCancel_WhilePausedIsAtOnce(t *testing.T) {
	t.Parallel()
	for _, cancel := range []lifecycle.Cancel{{Reason: "moved"}, {Immediate: true, RefundUnused: true}} {
		l := paidHalf(t)
		l.must(lifecycle.Pause{})
		l.must(cancel)
		require.Equal(t, subscription.Canceled, l.sub().Status)
		require.Zero(t, l.sub().PausedAt)
		require.Zero(t, l.refunded())
		require.Len(t, l.store.invoices, 1)
	}
}

// Money for an invoice that was given up is kept, but pays for no time after the pause began.
func TestPause_LatePaymentBuysNoTime(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.giveUp(l.store.invoices[0], false)
	l.must(lifecycle.Pause{})

	l.answer(l.charges()[0].ID, answer.Succeeded)

	require.Equal(t, invoice.Paid, l.store.invoices[0].Status)
	require.Equal(t, subscription.Paused, l.sub().Status)
	require.Equal(t, l.sub().PausedAt, l.sub().PaidThrough)
}

// trialEnding returns a life in a trial of 14 days on a plan with a trial end, whose customer has no payment method.
func trialEnding(t *testing.T, end plan.TrialEnd, p plan.Plan) *life {
	t.Helper()
	p.TrialEnd = end
	l := newLife(t, []plan.Plan{p, pro}, settings, p, 14)
	l.store.customer.PaymentMethod = ""
	return l
}

func TestTrialEnd_WithoutPaymentMethod(t *testing.T) {
	t.Parallel()
	for end, want := range map[plan.TrialEnd]subscription.Status{
		"": subscription.Active, plan.TrialEndInvoice: subscription.Active, plan.TrialEndCancel: subscription.Canceled,
		plan.TrialEndPause: subscription.Paused,
	} {
		l := trialEnding(t, end, team)
		expected, err := foresight.Outlook(l.store.load(false), 2, nil, l.moment())
		require.NoError(t, err)
		require.Equal(t, want, expected[1].Status, end)

		l.until(l.sub().TrialEndsAt)

		require.Equal(t, want, l.sub().Status, end)
		require.Equal(t, want == subscription.Active, len(l.store.invoices) == 1)
		if want == subscription.Canceled {
			require.Equal(t, subscribing.ReasonNoPaymentMethod, l.sub().CancelReason)
		}

		able := trialEnding(t, end, team)
		able.store.customer.PaymentMethod = "card"
		able.until(able.sub().TrialEndsAt)
		require.Equal(t, subscription.Active, able.sub().Status)
		costless := trialEnding(t, end, free)
		costless.until(costless.sub().TrialEndsAt)
		require.Equal(t, subscription.Active, costless.sub().Status, "there is nothing to pay")
	}
}

// A payment method ends the pause of a trial that ended without one, but no other pause.
func TestTrialEnd_PaymentMethodResumes(t *testing.T) {
	t.Parallel()
	l := trialEnding(t, plan.TrialEndPause, team)
	l.until(l.sub().TrialEndsAt.AddDate(0, 0, 3))
	l.newMethod(false)
	require.Equal(t, subscription.Paused, l.sub().Status, "it was taken away once more")

	l.newMethod(true)

	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, l.now, l.sub().AnchorAt)
	require.Equal(t, invoice.Create, l.store.invoices[0].Reason)
	require.NotNil(t, l.live(""), "it is charged at once")
	l.result(answer.Succeeded)
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionActivated])
	l.must(lifecycle.Pause{})
	l.newMethod(true)
	require.Equal(t, subscription.Paused, l.sub().Status)
}

// A workflow that processes the payment method late resumes from the time of the method on.
func TestTrialEnd_PaymentMethodNoticedLate(t *testing.T) {
	t.Parallel()
	l := trialEnding(t, plan.TrialEndPause, team)
	l.until(l.sub().TrialEndsAt.AddDate(0, 0, 3))
	added := l.now
	l.store.customer.PaymentMethod, l.store.sub.MethodChangedAt = "card", added
	l.moveTo(added.Add(time.Hour))

	l.advance()

	require.Equal(t, added, l.sub().CurrentPeriod.Start)
}

// Payment methods change in real time. On a test clock the subscription resumes at the clock's time, for any real time.
func TestTrialEnd_PaymentMethodOnATestClock(t *testing.T) {
	t.Parallel()
	for _, added := range []time.Duration{-time.Hour, time.Hour} { // relative to the clock's time
		l := trialEnding(t, plan.TrialEndPause, team)
		l.onClock()
		l.until(l.sub().TrialEndsAt.AddDate(0, 0, 3))
		l.store.customer.PaymentMethod, l.store.sub.MethodChangedAt = "card", l.now.Add(added)

		l.advance()

		require.Equal(t, subscription.Active, l.sub().Status)
		require.Equal(t, l.now, l.sub().CurrentPeriod.Start)
	}
}

// must performs a command, and fails the test if it is refused.
func (l *life) must(cmd lifecycle.Command) {
	_, err := l.apply(cmd)
	require.NoError(l.t, err)
}
