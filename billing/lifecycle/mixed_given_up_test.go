package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/access"
	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// declinedLife returns a subscription of a plan with add-ons, whose first invoice was declined.
func declinedLife(t *testing.T, on plan.Plan, addOns ...plan.Plan) *life {
	t.Helper()
	l := newLifeOf(t, []plan.Plan{annual, annual2, team, pro, seats, support}, settings, on,
		subscribing.NewInput{AddOns: *choose(addOns...)})
	l.mixed = true
	l.until(created)
	l.result(answer.Declined)
	return l
}

// A year of support is given up by a person, and support is removed. Where it is added again, the rest of its year is
// billed: now, at the end of a period, and, where that begins in past due, with the recovery.
func TestMixed_AddedAgainAfterItWasGivenUp(t *testing.T) {
	t.Parallel()
	for _, void := range []bool{false, true} {
		for _, atPeriodEnd := range []bool{false, true} {
			l := declinedLife(t, team, support)
			l.giveUp(l.last(), void)
			l.until(created.AddDate(0, 0, 10))
			l.must(lifecycle.ChangePlan{AddOns: choose()})
			l.until(created.AddDate(0, 0, 20))
			from := l.now
			if atPeriodEnd {
				from = ofMonths.Boundary(1)
			}

			l.must(lifecycle.ChangePlan{AddOns: choose(support), AtPeriodEnd: atPeriodEnd})

			l.months(3)
			require.Equal(t, rest(36_000, firstYear, from), supportOf(l), "void: %t, at period end: %t", void, atPeriodEnd)
		}
	}
}

// supportOf returns what invoices bill for support, apart from those that a person gave up.
func supportOf(l *life) (sum money.Minor) {
	for _, inv := range l.store.all() {
		for _, line := range inv.Lines {
			if inv.Bills() && line.PlanID == support.ID {
				sum += line.Amount
			}
		}
	}
	return sum
}

// The same where the end of the period is in past due: the recovery bills it.
func TestMixed_AddedAgainInPastDue(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.store.settings.PastDueBilling = subscription.SkipPastDue
	l.account.settings.PastDueBilling = subscription.SkipPastDue
	l.months(1)
	l.must(lifecycle.ChangePlan{AddOns: choose(seats, support)})
	l.result(answer.Declined)
	l.giveUp(l.last(), true)
	l.must(lifecycle.ChangePlan{AddOns: choose(seats)})
	l.until(ofMonths.Boundary(2))
	l.untilPastDue()
	l.must(lifecycle.ChangePlan{AddOns: choose(seats, support), AtPeriodEnd: true})
	l.until(ofMonths.Boundary(3).AddDate(0, 0, 3))
	require.Equal(t, subscription.PastDue, l.sub().Status)

	l.must(lifecycle.Pay{})
	l.payAll()
	l.months(2)

	require.Equal(t, rest(36_000, firstYear, ofMonths.Boundary(3)), supportOf(l))
}

// Where it stays, no time is billed again that was given up.
func TestMixed_GivenUpAndKept(t *testing.T) {
	t.Parallel()
	l := declinedLife(t, team, support)
	l.giveUp(l.last(), true)
	l.months(3)
	require.Zero(t, supportOf(l))
}

// The year of the plan is not paid: seats of a month give no access to it, nor does a month that costs nothing.
func TestMixed_SeatsDoNotPayForThePlan(t *testing.T) {
	t.Parallel()
	for _, void := range []bool{false, true} {
		l := declinedLife(t, annual, seats)
		l.giveUp(l.last(), void)
		l.months(2)
		require.Equal(t, []any{invoice.Paid, money.Minor(1_000)}, []any{l.last().Status, l.last().Total})
		require.Equal(t, access.Unpaid, l.access().Reason, "void: %t", void)
		require.Zero(t, l.sub().PaidThrough)

		l.must(lifecycle.ChangePlan{AddOns: choose(), AtPeriodEnd: true})
		l.months(1)
		require.False(t, l.access().Allowed, "a free month")
		l.must(lifecycle.ChangePlan{Plan: &annual2})
		l.payAll()
		require.True(t, l.access().Allowed)
		require.Equal(t, firstYear.End, l.sub().PaidThrough)
	}
}

// Giving the year up once all its retries have failed ends the debt, and opens the plan no more than before.
func TestMixed_GivingUpInPastDueDoesNotOpenThePlan(t *testing.T) {
	t.Parallel()
	for _, void := range []bool{false, true} {
		l := declinedLife(t, annual, seats)
		l.untilPastDue()
		l.giveUp(l.last(), void)
		require.Equal(t, subscription.Active, l.sub().Status)
		require.Zero(t, l.sub().ActivatedAt, "void: %t", void)
		require.False(t, l.access().Allowed)
		l.months(2)
		require.False(t, l.access().Allowed, "seats that are paid are not the plan")
	}
}

// Nor do they while its invoice is open: a coupon makes them free.
func TestMixed_FreeSeatsDoNotPayForThePlan(t *testing.T) {
	t.Parallel()
	l := declinedLife(t, annual, seats)
	l.store.settings.PastDueBilling = subscription.AccruePastDue
	l.account.settings.PastDueBilling = subscription.AccruePastDue
	l.must(freeSeats())
	l.untilPastDue()
	l.until(ofMonths.Boundary(1).Add(time.Hour))
	require.Equal(t, invoice.Paid, l.last().Status)
	require.Zero(t, l.sub().PaidThrough)
	require.Zero(t, l.sub().ActivatedAt)
	l.must(lifecycle.Pay{})
	l.payAll()
	require.Equal(t, firstYear.End, l.sub().PaidThrough)
	require.True(t, l.access().Allowed)
}
