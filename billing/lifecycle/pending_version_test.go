package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// versionAwaited returns a life that paid for a month of team, changes to pro at the end of the period, and a week later
// asks for a dearer version of team once that is paid: 2250 - 750.
func versionAwaited(t *testing.T, later ...lifecycle.Command) *life {
	t.Helper()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.newVersion(team, []plan.Price{plan.Flat("", "", 3000)})
	for _, cmd := range later {
		l.must(cmd)
	}
	to := l.newest(team.ID)
	l.must(lifecycle.Migrate{To: &to, Version: 2, Behavior: subscription.PendPayment})
	require.Equal(t, 1, l.sub().PlanVersion)
	require.Equal(t, to.Ref(), l.sub().PendingChange.Plan)
	require.NotEmpty(t, l.sub().PendingChange.ID)
	require.Equal(t, []money.Minor{1000, 1500}, l.totals())
	return l
}

// A move to another version waits for its payment as a change of plan does, and is made as billed.
func TestPendingVersion_IsMadeOnceItIsPaid(t *testing.T) {
	t.Parallel()
	l := versionAwaited(t)
	own := l.sub().CurrentPeriod

	l.result(answer.Succeeded)

	require.Equal(t, []any{team.ID, 2}, []any{l.sub().PlanID, l.sub().PlanVersion})
	require.Nil(t, l.sub().PendingChange)
	require.Equal(t, own, l.sub().CurrentPeriod)
	l.until(own.End)
	require.Equal(t, []money.Minor{1000, 1500, 3000}, l.totals())
}

func TestPendingVersion_IsWithdrawn(t *testing.T) {
	t.Parallel()
	l := versionAwaited(t)
	l.result(answer.Declined)
	l.until(l.sub().PendingChange.Until)
	require.Nil(t, l.sub().PendingChange)
	require.Equal(t, []any{team.ID, 1, subscription.Active}, []any{l.sub().PlanID, l.sub().PlanVersion, l.sub().Status})
	require.Equal(t, []money.Minor{1000}, l.totals())
	l.until(l.sub().CurrentPeriod.End)
	require.Equal(t, []money.Minor{1000, 1000}, l.totals())
}

// A change to another plan at the end of the period stays, whatever becomes of the move.
func TestPendingVersion_BesideALaterPlan(t *testing.T) {
	t.Parallel()
	for said, version := range map[answer.Outcome]int{answer.Succeeded: 2, answer.Declined: 1} {
		l := versionAwaited(t, lifecycle.ChangePlan{Plan: &pro, AtPeriodEnd: true})
		l.result(said)
		l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, -1))
		require.Equal(t, []any{version, pro.ID}, []any{l.sub().PlanVersion, l.sub().PendingPlanID}, said)
		require.Nil(t, l.sub().PendingChange)
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, pro.ID, l.sub().PlanID)
	}
}

// A move to a version at the end of the period is replaced by one that is paid, and stays where that is withdrawn.
func TestPendingVersion_BesideALaterVersion(t *testing.T) {
	t.Parallel()
	for said, pending := range map[answer.Outcome]string{answer.Succeeded: "", answer.Declined: team.ID} {
		l := begun(t, settings)
		l.newVersion(team, []plan.Price{plan.Flat("", "", 3000)})
		l.newVersion(l.newest(team.ID), []plan.Price{plan.Flat("", "", 4000)})
		l.result(answer.Succeeded)
		l.pass(week)
		third, second := l.newest(team.ID), l.store.plans[plan.Ref{ID: team.ID, Version: 2}]
		l.must(lifecycle.Migrate{To: &third, Version: 3, AtPeriodEnd: true})
		l.must(lifecycle.Migrate{To: &second, Version: 2, Behavior: subscription.PendPayment})
		require.Equal(t, third.Ref(), l.sub().PendingPlan(), "until it is paid")
		l.result(said)
		l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, -1))
		require.Equal(t, pending, l.sub().PendingPlanID, said)
	}
}

// A cheaper version is moved to at once, and a later move waits for no payment.
func TestPendingVersion_ThatCostsNothing(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.newVersion(team, []plan.Price{plan.Flat("", "", 500)})
	to := l.newest(team.ID)
	_, err := l.apply(lifecycle.Migrate{To: &to, Version: 2, Behavior: subscription.PendPayment, AtPeriodEnd: true})
	require.Equal(t, "fields_exclusive", fault.From(err).Code)
	_, err = l.apply(lifecycle.Migrate{To: &to, Version: 2, Behavior: "soon"})
	require.Equal(t, "payment_behavior_unknown", fault.From(err).Code)
	l.must(lifecycle.Migrate{To: &to, Version: 2, Behavior: subscription.AttemptOnce})
	require.Equal(t, 2, l.sub().PlanVersion)
	require.Nil(t, l.sub().PendingChange)
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})
	first := team
	_, err = l.apply(lifecycle.Migrate{To: &first, Version: 1})
	require.Equal(t, subscribing.ErrChangePending, err)
}
