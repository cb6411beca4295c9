package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

const oneDay = 24 * time.Hour

// blockedIsFinal returns a policy that retries after two days, except where the account is blocked.
func blockedIsFinal() dunning.Policy {
	p := dunning.Policy{Retry: retry.List(2*oneDay, 2*oneDay), Final: dunning.PastDue}
	p.Retry.MaxJitter = 0
	p.Retry.Rules = []retry.Rule{
		{Code: "ACCOUNT_BLOCKED", Never: true}, {Code: "INSUFFICIENT_FUNDS", DayOfMonth: 25},
	}
	return p
}

// declined fails the live attempt for a reason.
func (l *life) declined(code string) {
	l.record(l.live("").ID, answer.Answer{
		Outcome: answer.Declined, FailureCode: answer.FailureCode(code), FailureReason: "no",
	}, nil)
}

func TestDunning_ByFailureCode(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning = blockedIsFinal()
	for code, want := range map[string]time.Time{
		"DECLINED":           created.Add(2 * oneDay),
		"INSUFFICIENT_FUNDS": time.Date(2026, time.February, 25, 10, 0, 0, 0, time.UTC),
	} {
		l := begun(t, settings)
		l.declined(code)
		require.Equal(t, subscription.ActionPaymentRetry, l.sub().NextAction, code)
		require.Equal(t, want, l.sub().NextActionAt, code)
	}
	l := begun(t, settings)
	l.declined("ACCOUNT_BLOCKED")
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Equal(t, collection.State{Phase: collection.Exhausted, Automatic: 1, Attempts: 1},
		l.store.invoices[0].Collection)
	require.Equal(t, 1, l.account.events[event.TypeSubscriptionPastDue])
}

// A rule for the payer's account does not apply without a provider, although the code is the same.
func TestDunning_WithoutProviderNoRuleCounts(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning = blockedIsFinal()
	settings.Dunning.Retry.Rules = []retry.Rule{{Code: payment.CodeInvalidAccount, Never: true}}
	l := newLife(t, plans, settings, team, 0)
	l.store.provider = nil
	l.until(created)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, created.Add(2*oneDay), l.sub().NextActionAt)

	l = newLife(t, plans, settings, team, 0)
	l.newMethod(false)
	l.until(created)
	require.Equal(t, subscription.PastDue, l.sub().Status, "nothing to charge is the payer's account")
}

func TestDunning_PolicyOfThePlanComesFirst(t *testing.T) {
	t.Parallel()
	own, list := team, append(plans[:0:0], plans...)
	policy := blockedIsFinal()
	own.Dunning = &policy
	list = append(list, own) // the last one with an id counts
	l := newLife(t, list, settings, own, 0)
	l.until(created)
	l.declined("DECLINED")
	require.Equal(t, created.Add(2*oneDay), l.sub().NextActionAt)
}

// Invoices below the policy's minimum charge nothing until the sum is large enough. They count as paid, so that no
// subscription is past due. A plan's policy replaces the environment's, with its minimums.
func TestDunning_SmallAmountsAreCarried(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Minimums = []dunning.Minimum{{Currency: "USD", Amount: 1}, {Currency: "EUR", Amount: 2500}}
	l := newLife(t, plans, settings, team, 0)
	l.until(created)
	for carried := money.Minor(1000); carried <= 2000; carried += 1000 {
		require.Equal(t, invoice.Paid, l.last().Status)
		require.Equal(t, money.Minor(1000), l.last().CarriedForward)
		require.Equal(t, -carried, l.store.balance)
		require.Nil(t, l.live(""))
		l.until(l.sub().CurrentPeriod.End)
	}
	require.Equal(t, money.Minor(3000), l.live("").Amount)
	require.Equal(t, money.Minor(2000), l.last().BroughtForward)
	require.Zero(t, l.store.balance)

	own, policy := team, dunning.Default()
	own.Dunning = &policy
	l = newLife(t, []plan.Plan{own}, settings, own, 0)
	l.until(created)
	require.Equal(t, money.Minor(1000), l.live("").Amount)
}

// The customer's policy replaces the plan's, which replaces the environment's. Without it, theirs apply again from the
// next failure.
func TestDunning_PolicyOfTheCustomerComesFirst(t *testing.T) {
	t.Parallel()
	own, policy := team, dunning.Policy{Retry: retry.List(2 * oneDay), Final: dunning.PastDue}
	own.Dunning = &policy
	of := dunning.Policy{Retry: retry.List(5*oneDay, 6*oneDay), Final: dunning.Pause}
	of.Retry.MaxJitter = 0
	l := newLife(t, []plan.Plan{own}, settings, own, 0)
	l.store.customer.Dunning = &of
	l.until(created)
	l.declined("DECLINED")
	require.Equal(t, created.Add(5*oneDay), l.sub().NextActionAt)
	require.Equal(t, 2, l.store.load(false).Retries())

	l.store.customer.Dunning = nil
	l.toNext(0)
	l.declined("DECLINED")
	require.Equal(t, subscription.PastDue, l.sub().Status, "the plan's policy has one retry")
	require.Equal(t, 1, l.store.load(false).Retries())
}

func TestDunning_PauseStopsBillingUntilResumed(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Final, settings.PastDueBilling = dunning.Pause, subscription.AccruePastDue
	l := begun(t, settings)
	l.failToPastDue()
	require.True(t, l.sub().CollectionPaused())
	paused := l.now

	l.until(time.Date(2026, 5, 5, 0, 0, 0, 0, time.UTC))
	require.Len(t, l.store.invoices, 1, "nothing is billed, although periods accrue otherwise")
	l.newMethod(true)
	require.Nil(t, l.live(""), "a new method charges nothing")
	require.Equal(t, paused, l.sub().CollectionPausedAt)

	changes, err := l.apply(lifecycle.ResumeCollection{})
	require.NoError(t, err)
	require.NotEmpty(t, changes.Attempt)
	require.False(t, l.sub().CollectionPaused())
	require.Equal(t, subscription.PastDue, l.sub().Status)
	_, err = l.apply(lifecycle.ResumeCollection{})
	require.Equal(t, subscribing.ErrCollectionNotPaused.Code, fault.From(err).Code)

	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, invoice.Recovery, l.store.invoices[1].Reason)
}

// The end of a pause charges the waiting invoice, unless a payment is in progress or its customer pays it.
func TestResumeCollection_ChargesWhatWaited(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Final = dunning.Pause
	for name, c := range map[string]struct {
		before  func(*life)
		charges bool
	}{
		"it waits":               {func(*life) {}, true},
		"a person pays it":       {func(l *life) { l.pay() }, false},
		"that payment failed":    {func(l *life) { l.pay(); l.result(answer.Declined) }, true},
		"it was sent and is due": {nil, false},
	} {
		l := begun(t, settings)
		if c.before == nil {
			l.result(answer.Succeeded)
			send, days := terms.Send, 14
			l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
			l.until(l.sub().CurrentPeriod.End.AddDate(0, 0, 15))
		} else {
			l.failToPastDue()
			c.before(l)
		}
		require.True(t, l.sub().CollectionPaused(), name)
		made := len(l.charges())
		changes, err := l.apply(lifecycle.ResumeCollection{})
		require.NoError(t, err, name)
		require.False(t, l.sub().CollectionPaused(), name)
		require.Equal(t, c.charges, changes.Attempt != "", name)
		require.Equal(t, c.charges, len(l.charges()) == made+1, name)
	}
}

// A later policy does not change pauses: none begins for a subscription that is already past due, and none ends.
func TestDunning_LaterPolicyLeavesPausesAlone(t *testing.T) {
	t.Parallel()
	for _, first := range []dunning.Action{dunning.PastDue, dunning.Pause} {
		settings := settings
		settings.Dunning.Final = first
		l := begun(t, settings)
		l.failToPastDue()
		for _, later := range []dunning.Action{dunning.Pause, dunning.PastDue} {
			l.store.settings.Dunning.Final = later
			l.toNext(0)
			require.Equal(t, first == dunning.Pause, l.sub().CollectionPaused(), "%s, then %s", first, later)
		}
	}
}

func TestDunning_PaymentEndsPause(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Final = dunning.Pause
	l := begun(t, settings)
	l.failToPastDue()
	l.pay()
	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.False(t, l.sub().CollectionPaused())
}

// The invoice of a plan change replaces the exhausted one, and waits like it.
func TestDunning_PauseHoldsReplacedInvoice(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Final = dunning.Pause
	l := begun(t, settings)
	l.failToPastDue()
	l.changePlan(pro, false)
	require.Nil(t, l.live(""))
	require.True(t, l.sub().CollectionPaused())
	changes, err := l.apply(lifecycle.ResumeCollection{})
	require.NoError(t, err)
	require.NotEmpty(t, changes.Attempt)
}

func TestSkipRetry_LeavesOutOneRetryOfTheSchedule(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	in := l.store.invoices[0].ID
	var next int64 // as the event announces
	skip := func() error {
		changes, err := l.apply(lifecycle.SkipRetry{InvoiceID: in})
		for _, e := range changes.Events {
			if skipped, ok := e.Data.(event.InvoiceRetrySkipped); ok {
				next = skipped.NextPaymentAttemptAt
			}
		}
		return err
	}
	require.Equal(t, collection.ErrInProgress.Code, fault.From(skip()).Code)
	l.result(answer.Declined)
	require.Equal(t, created.Add(oneDay), l.sub().NextActionAt)

	require.NoError(t, skip())
	require.Equal(t, created.Add(3*oneDay), l.sub().NextActionAt, "two days after the one that was skipped")
	require.Equal(t, created.Add(3*oneDay).Unix(), next)
	require.Equal(t, 1, l.account.events[event.TypeInvoiceRetrySkipped])
	l.toNext(0)
	l.result(answer.Declined)
	require.Equal(t, created.Add(7*oneDay), l.sub().NextActionAt)

	require.NoError(t, skip(), "the last one")
	require.Zero(t, next, "no attempt follows")
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Equal(t, 2, l.store.invoices[0].Collection.Attempts)
	require.Equal(t, collection.ErrNoRetry.Code, fault.From(skip()).Code)
	l.pay()
	l.result(answer.Succeeded)
	require.Equal(t, lifecycle.ErrNotOpen.Code, fault.From(skip()).Code)
}

func TestPay_NamedInvoiceMustBeTheOldestOpenOne(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Retry.Base = 30 * oneDay
	l := begun(t, settings)
	l.result(answer.Declined)
	l.until(l.sub().CurrentPeriod.End)
	require.Len(t, l.open(), 2)
	pay := func(id string) error {
		_, err := l.apply(lifecycle.Pay{InvoiceID: id})
		return err
	}
	require.Equal(t, collection.ErrNotItsTurn.Code, fault.From(pay(l.open()[1].ID)).Code)
	require.Equal(t, lifecycle.ErrNotOpen.Code, fault.From(pay("in_none")).Code)
	require.NoError(t, pay(l.open()[0].ID))
}

// Jitter spreads retries over an hour, but on a test clock they are exact.
func TestDunning_JitterInRealTimeOnly(t *testing.T) {
	t.Parallel()
	jittered := settings
	jittered.Dunning.Retry = retry.Default()
	l := begun(t, jittered)
	l.declined("DECLINED")
	gap := l.sub().NextActionAt.Sub(created)
	require.Greater(t, gap, oneDay)
	require.LessOrEqual(t, gap, oneDay+time.Hour)

	l = newLife(t, plans, jittered, team, 0)
	l.onClock()
	l.until(created)
	l.declined("DECLINED")
	require.Equal(t, created.Add(oneDay), l.sub().NextActionAt)
}

// A person's attempt does not extend the time of a past-due subscription.
func TestDunning_NoRetryOncePastDue(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning = blockedIsFinal()
	l := begun(t, settings)
	l.declined("ACCOUNT_BLOCKED")
	require.Equal(t, subscription.PastDue, l.sub().Status)
	_, err := l.apply(lifecycle.Pay{})
	require.NoError(t, err)
	l.declined("DECLINED")
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.NotEqual(t, subscription.ActionPaymentRetry, l.sub().NextAction)
}

func TestErrBehind_SaysWhenToRepeat(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5*time.Second, lifecycle.ErrBehind.RetryAfter)
}

// Retries ask the customer's methods in turn, each with an attempt of its own, and no rule about the method that failed
// holds another one back. A person's attempt asks the first.
func TestDunning_RetriesTakeTurnsAmongMethods(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning = blockedIsFinal()
	settings.Dunning.TryOtherMethods = true
	l := newLife(t, plans, settings, team, 0)
	l.store.customer.PaymentMethodID = "pm_first"
	second := customer.Method{ID: "pm_second", Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "tok_2"}}
	l.store.otherMethods = []customer.Method{second}
	l.until(created)
	first := l.live("")
	require.Equal(t, "pm_first", first.PaymentMethodID)

	l.declined("ACCOUNT_BLOCKED")
	require.Equal(t, created.Add(2*oneDay), l.sub().NextActionAt, "the account of the first method is blocked, not the second's")
	require.Nil(t, l.live(""), "nothing before its time")
	l.toNext(0)
	retried := l.live("")
	require.NotEqual(t, first.ID, retried.ID)
	require.Equal(t, "pm_second", retried.PaymentMethodID)
	require.Equal(t, second.Details, retried.Method.Details)

	l.declined("DECLINED")
	_, err := l.apply(lifecycle.Pay{})
	require.NoError(t, err)
	require.Equal(t, "pm_first", l.live("").PaymentMethodID, "a person's attempt")
	l.declined("DECLINED")
	l.toNext(0)
	require.Equal(t, "pm_first", l.live("").PaymentMethodID, "after the last it is the first one's turn")
	l.declined("DECLINED")
	require.Equal(t, subscription.PastDue, l.sub().Status)
}
