package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/dunning"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// In every life, the first expected action is the subscription's next action.
func TestOutlook_BeginsWithTheNextAction(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l, _ := livedLife(t)
		expected, err := foresight.Outlook(l.store.load(false), 4, nil, l.moment())
		require.NoError(t, err)
		if l.payable() != nil || len(expected) == 0 {
			return // the present attempt decides first
		}
		require.Equal(t, l.sub().NextAction, expected[0].Action)
		require.True(t, l.sub().NextActionAt.Equal(expected[0].At))
		for i, e := range expected[1:] {
			require.False(t, e.At.Before(expected[i].At), "in the order of time")
		}
	})
}

// A failed renewal is expected to be retried, then the scheduled change with the next period, then the cancellation.
func TestOutlook_SaysWhatAndHowMuch(t *testing.T) {
	t.Parallel()
	p, cheaper := flat("plan_1", month, 1900), flat("plan_2", month, 900)
	settings := subscription.Settings{Dunning: dunning.Policy{Retry: retry.List(24*time.Hour, 48*time.Hour)}}
	settings.Dunning.Retry.MaxJitter = 0
	l := newLife(t, []plan.Plan{p, cheaper}, settings, p, 0)
	l.advance()
	l.result(answer.Succeeded)
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Declined)
	l.changePlan(cheaper, true)

	expected, err := foresight.Outlook(l.store.load(false), 2, nil, l.moment())

	require.NoError(t, err)
	require.Equal(t, []foresight.Expected{
		{
			At: l.now.Add(24 * time.Hour), Action: subscription.ActionPaymentRetry, Amount: 1900, Retry: 1, Retries: 2,
			InvoiceID: l.open()[0].ID,
		},
		{At: l.sub().CurrentPeriod.End, Action: subscription.ActionRenewal, Amount: 900, PlanID: "plan_2"},
	}, expected)
}

// expects checks the next actions: their times, actions and amounts.
func (l *life) expects(t *testing.T, name string, want ...foresight.Expected) {
	t.Helper()
	expected, err := foresight.Outlook(l.store.load(false), len(want), nil, l.moment())
	require.NoError(t, err, name)
	for i := range expected {
		expected[i].AddOns = nil
	}
	require.Equal(t, want, expected, name)
}

func on(month time.Month, day int, action subscription.Action, amount money.Minor) foresight.Expected {
	at := time.Date(2026, month, day, 11, 0, 0, 0, paris) // 10:00 in winter: the hour of the subscription
	return foresight.Expected{At: at.UTC(), Action: action, Amount: amount}
}

// A retry names its invoice and counts skipped ones. Other actions while an invoice waits for its retry do not.
func TestOutlook_RetryAndWhatIsBesideIt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Declined)
	l.must(lifecycle.SkipRetry{InvoiceID: l.open()[0].ID})
	retried := on(time.February, 3, subscription.ActionPaymentRetry, 1000)
	retried.InvoiceID, retried.Retry, retried.Retries = l.open()[0].ID, 2, 3
	l.expects(t, "one was skipped", retried, on(time.February, 28, subscription.ActionRenewal, 1000))

	slow := settings
	slow.Dunning.Retry.Base = 40 * 24 * time.Hour
	l = begun(t, slow)
	l.result(answer.Declined)
	retried = on(time.March, 12, subscription.ActionPaymentRetry, 1000)
	retried.InvoiceID, retried.Retry, retried.Retries = l.open()[0].ID, 1, 3
	l.expects(t, "the renewal is before it", on(time.February, 28, subscription.ActionRenewal, 1000), retried)
}

// The retry of an older invoice succeeds, and the waiting one is paid too: no attempt delays the change.
func TestOutlook_AllThatIsAttemptedIsPaid(t *testing.T) {
	t.Parallel()
	slow := settings
	slow.Dunning.Retry.Base, slow.Dunning.Retry.Factor = 20*24*time.Hour, 1
	l := begun(t, slow)
	l.result(answer.Declined)
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Declined)
	require.Len(t, l.open(), 2)
	retried := on(time.March, 12, subscription.ActionPaymentRetry, 1000)
	retried.At = l.sub().NextActionAt
	retried.InvoiceID, retried.Retry, retried.Retries = l.open()[0].ID, 2, 3
	l.must(lifecycle.ChangePlan{Quantity: 2, On: retried.At.Add(24 * time.Hour)})
	changed := foresight.Expected{At: retried.At.Add(24 * time.Hour),
		Action: subscription.ActionScheduledChange, Quantity: 2}
	l.expects(t, "", retried, changed)
}

// Two invoices were sent, the later one with the shorter time to pay. The customer pays both: neither becomes overdue.
func TestOutlook_WhatIsSentIsPaid(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	send := terms.Send
	for _, days := range []int{45, 7} {
		l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
		l.until(l.sub().CurrentPeriod.End)
	}
	require.Len(t, l.open(), 2)
	overdue := foresight.Expected{At: l.open()[0].DueAt, Action: subscription.ActionInvoiceOverdue}
	l.expects(t, "", overdue, on(time.April, 30, subscription.ActionRenewal, 1000))
}

// A payment of a sent invoice needs review: it is not paid again, and later invoices wait for it.
func TestOutlook_SentBesideAPaymentInReview(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	send, days := terms.Send, 45
	l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
	l.until(l.sub().CurrentPeriod.End)
	l.must(lifecycle.Pay{InvoiceID: l.open()[0].ID})
	l.mismatch(l.live("").ID)
	l.expects(t, "", on(time.March, 31, subscription.ActionRenewal, 1000),
		on(time.April, 30, subscription.ActionRenewal, 1000))
}

// A subscription is past due on 14 February, when a renewal would be announced. A change on the 20th, when 8 of 28 days
// are left, charges it again: 1000 of the unpaid amount, less 286, and 857. It recovers, and then the renewal is
// announced.
func TestOutlook_WhatAPaymentMakesDue(t *testing.T) {
	t.Parallel()
	reminding := settings
	reminding.RenewalReminderDays = 14
	l := newLife(t, plans, reminding, team, 0)
	l.store.customer.PaymentMethod = "mobile_money_mtn"
	l.advance()
	l.failToPastDue()
	l.must(lifecycle.ChangePlan{Plan: &pro, On: created.AddDate(0, 0, 20)})
	changed := on(time.February, 20, subscription.ActionScheduledChange, 1571)
	changed.PlanID, changed.Status = "plan_pro", subscription.Active
	l.expects(t, "", changed, on(time.February, 20, subscription.ActionRenewalReminder, 0))
}
