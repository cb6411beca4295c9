package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// once asks a subscription on team for pro with one attempt.
func once(t *testing.T) *life {
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.AttemptOnce})
	require.Equal(t, team.ID, l.sub().PlanID)
	return l
}

func TestOneAttempt_OfAChange(t *testing.T) {
	t.Parallel()
	paid := once(t)
	paid.result(answer.Succeeded)
	require.Equal(t, pro.ID, paid.sub().PlanID)

	for _, outcome := range []answer.Outcome{answer.Declined, answer.Failed, answer.Canceled} {
		l := once(t)
		l.result(outcome)
		require.Equal(t, []any{team.ID, subscription.Active}, []any{l.sub().PlanID, l.sub().Status}, outcome)
		require.Nil(t, l.sub().PendingChange, outcome)
		require.Equal(t, invoice.Void, l.waiting().Status, outcome)
		require.Equal(t, subscription.ActionRenewal, l.sub().NextAction, outcome)
		l.must(lifecycle.ChangePlan{Plan: &pro})
	}

	waits := once(t)
	waits.pass(time.Hour)
	require.NotNil(t, waits.sub().PendingChange, "nothing is known")
	waits.until(waits.sub().PendingChange.Until)
	require.Nil(t, waits.sub().PendingChange)
}

// A customer without a payment method fails the attempt within the command.
func TestOneAttempt_ThatFailsAtOnce(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(week)
	l.newMethod(false)
	before := offered(l.sub())

	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.AttemptOnce})

	require.Equal(t, before, offered(l.sub()))
	require.Nil(t, l.sub().PendingChange)
	require.Equal(t, invoice.Void, l.waiting().Status)
}

func TestOneAttempt_OfACreation(t *testing.T) {
	t.Parallel()
	none := 0
	create := func() *life {
		l := newLifeOf(t, plans, settings, team, subscribing.NewInput{TrialDays: &none, Behavior: subscription.AttemptOnce})
		l.until(created)
		require.Equal(t, subscription.Incomplete, l.sub().Status)
		return l
	}
	paid := create()
	paid.result(answer.Succeeded)
	require.Equal(t, []any{subscription.Active, false}, []any{paid.sub().Status, paid.sub().AttemptsOnce})

	l := create()
	l.result(answer.Declined)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, subscribing.ReasonFirstPaymentFailed, l.sub().CancelReason)
	require.True(t, l.sub().NeverPaid())
	require.Equal(t, invoice.Void, l.store.invoices[0].Status)
}
