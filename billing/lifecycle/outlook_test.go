package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/dunning"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
)

// What is expected next is what the subscription says it waits for, in every life.
func TestOutlook_BeginsWithTheNextAction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, _ := livedLife(t)
		expected, err := lifecycle.Outlook(l.store.load(false), 4, l.moment())
		require.NoError(t, err)
		if l.payable() != nil || len(expected) == 0 {
			return // what is attempted now decides first
		}
		require.Equal(t, l.sub().NextAction, expected[0].Action)
		require.True(t, l.sub().NextActionAt.Equal(expected[0].At))
		for i, e := range expected[1:] {
			require.False(t, e.At.Before(expected[i].At), "in the order of time")
		}
	})
}

// A failed renewal is expected to be tried again, then the scheduled change with the next period, then the cancellation.
func TestOutlook_SaysWhatAndHowMuch(t *testing.T) {
	t.Parallel()
	p, cheaper := flat("plan_1", month, 1900), flat("plan_2", month, 900)
	settings := subscription.Settings{Dunning: dunning.Policy{Retry: retry.List(24*time.Hour, 48*time.Hour)}}
	settings.Dunning.Retry.MaxJitter = 0
	l := newLife(t, []plan.Plan{p, cheaper}, settings, p, 0)
	l.advance()
	l.result(payment.AnswerSucceeded)
	l.until(l.sub().CurrentPeriod.End)
	l.result(payment.AnswerDeclined)
	l.changePlan(cheaper, true)

	expected, err := lifecycle.Outlook(l.store.load(false), 2, l.moment())

	require.NoError(t, err)
	require.Equal(t, []lifecycle.Expected{
		{
			At: l.now.Add(24 * time.Hour), Action: subscription.ActionPaymentRetry, Amount: 1900, Retry: 1, Retries: 2,
			InvoiceID: l.open()[0].ID,
		},
		{At: l.sub().CurrentPeriod.End, Action: subscription.ActionRenewal, Amount: 900, PlanID: "plan_2"},
	}, expected)
}
