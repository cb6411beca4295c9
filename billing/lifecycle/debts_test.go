package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/overdue"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// strict has a state for each of the conditions.
var strict = overdue.Policy{States: []overdue.State{
	{Name: "warned", Days: 3},
	{Name: "blocked", Invoices: 2, Amounts: []overdue.Amount{{Currency: "EUR", Amount: 100_000}}, Any: true, DenyAccess: true},
	{Name: "ended", Days: 30, DenyAccess: true, Cancel: true, NeedsPerson: true},
}}

func watched(of subscription.Settings) subscription.Settings {
	of.Overdue = strict
	return of
}

// checkStanding recounts the state of the customer from the invoices of the store, after each decision of every life.
func (l *life) checkStanding() {
	policy := l.store.settings.Overdue
	if policy.IsZero() || l.store.customer.OverduePolicy != nil || !l.store.customer.ErasedAt.IsZero() {
		return
	}
	open := l.store.elsewhere
	for _, inv := range l.open() {
		if l.sub().Status != subscription.Incomplete && !l.sub().Pays(inv.ID) {
			open = append(open[:len(open):len(open)], inv)
		}
	}
	want := policy.Review(overdue.Standing{}, overdue.Of(open), l.decided())
	if got := l.store.customer.Overdue; got.State != want.State || got.Invoices != want.Invoices ||
		!got.NextAt.Equal(want.NextAt) || got.AccessDenied != want.AccessDenied {
		require.Failf(l.t, "the customer's state is another one", "%+v, not %+v", got, want)
	}
	l.checkAges()
}

// checkAges checks that no change makes a debt younger: what replaces an invoice whose retries had begun counts since
// that one was issued, or since what it had replaced itself.
func (l *life) checkAges() {
	for _, old := range l.store.invoices {
		if old.ReplacedBy == "" || !old.DueAt.IsZero() || old.Collection.Attempts < 2 {
			continue
		}
		since := old.OwedSince
		if since.IsZero() {
			since = old.IssuedAt
		}
		for _, inv := range slices.Concat(l.store.invoices, l.store.drafts) {
			if inv.ID == old.ReplacedBy && inv.Status != invoice.Paid && !inv.OwedSince.Equal(since) {
				require.Failf(l.t, "a change makes the debt younger", "%+v, instead of %+v", inv, old)
			}
		}
	}
}

// The debt of a customer whose unpaid subscription changes is as old as before: no state ends, or begins again, because
// of the invoice that the change issues.
func TestDebts_AChangeKeepsTheirAge(t *testing.T) {
	t.Parallel()
	l := begun(t, watched(settings))
	issued := l.open()[0].IssuedAt
	l.result(answer.Declined)
	l.until(created.AddDate(0, 0, 3))
	l.result(answer.Declined)
	require.Equal(t, "warned", l.store.customer.Overdue.State)
	entered := l.store.customer.Overdue.Since
	for i, p := range []*plan.Plan{&pro, &team} { // dearer, and back
		l.must(lifecycle.ChangePlan{Plan: p})
		require.Len(t, l.open(), 1)
		require.Equal(t, collection.Charging, l.open()[0].Collection.Phase)
		require.Equal(t, issued, l.open()[0].OwedSince, i)
		l.result(answer.Declined)
		l.pass(time.Hour)
	}
	is := l.store.customer.Overdue
	require.Equal(t, []any{"warned", entered, issued}, []any{is.State, is.Since, is.Oldest})
	require.Equal(t, 1, l.account.events[event.TypeOverdueChanged])
	l.must(lifecycle.Pay{InvoiceID: l.open()[0].ID})
	l.result(answer.Succeeded)
	require.Empty(t, l.store.customer.Overdue.State)
}

// Before its payment terms end, a sent invoice is no debt, and neither is what replaces it.
func TestDebts_AChangeOfWhatIsNotOverdueMakesNone(t *testing.T) {
	t.Parallel()
	l := begun(t, watched(settings))
	l.result(answer.Succeeded)
	send, days := terms.Send, 5
	l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
	l.until(l.sub().CurrentPeriod.End)
	due := l.open()[0].DueAt
	l.pass(24 * time.Hour)
	l.must(lifecycle.ChangePlan{Plan: &pro})
	require.Zero(t, l.open()[0].OwedSince)
	l.until(l.open()[0].DueAt.Add(time.Hour))
	second := l.open()[0].DueAt
	l.must(lifecycle.ChangePlan{Plan: &team})
	require.True(t, due.Before(second))
	require.Equal(t, second, l.open()[0].OwedSince)
	require.Equal(t, second.AddDate(0, 0, 3), l.store.customer.Overdue.NextAt,
		"at once, though its own terms have just begun")
}

// What replaces a debt as a draft, and is drawn again and issued later, is as old as that debt.
func TestDebts_ADraftKeepsTheirAge(t *testing.T) {
	t.Parallel()
	small, large := flat("plan_1", month, 1900), flat("plan_2", month, 3100)
	l := graced(t, small, large)
	l.store.drafts[0].OwedSince = created
	l.moveTo(l.now.Add(6 * time.Hour))
	l.changePlan(large, false)
	require.Len(t, l.store.drafts, 1)
	require.Equal(t, created, l.store.drafts[0].OwedSince)
	l.until(l.store.drafts[0].FinalizesAt)
	require.Equal(t, created, l.open()[0].OwedSince)
}

func owedElsewhere(id string, amount money.Minor, since time.Time) invoice.Invoice {
	return invoice.Invoice{
		ID: id, SubscriptionID: "sub_2", Status: invoice.Open, Currency: "EUR", AmountDue: amount, IssuedAt: since,
		Collection: collection.State{Phase: collection.Exhausted, Attempts: 4},
	}
}

func TestDebts_EachDecisionReviewsThem(t *testing.T) {
	t.Parallel()
	l := begun(t, watched(settings))
	require.Zero(t, l.store.customer.Overdue, "the first attempt is under way")
	l.result(answer.Declined)
	require.Equal(t, created.AddDate(0, 0, 3), l.store.customer.Overdue.NextAt.UTC())
	l.store.elsewhere = []invoice.Invoice{owedElsewhere("in_elsewhere", 1, created)}
	l.toNext(0) // the retry
	require.Equal(t, "blocked", l.store.customer.Overdue.State, "also while a retry is under way")
	require.Equal(t, 2, l.store.customer.Overdue.Invoices)
	require.Equal(t, 1, l.account.events[event.TypeOverdueChanged])
	l.result(answer.Succeeded)
	require.Empty(t, l.store.customer.Overdue.State)
	require.Equal(t, 2, l.account.events[event.TypeOverdueChanged])
}

func TestDebts_TheFirstInvoiceOfAnIncompleteSubscriptionIsNone(t *testing.T) {
	t.Parallel()
	l := newLifeOf(t, plans, watched(settings), team, subscribing.NewInput{Behavior: subscription.PendPayment})
	l.until(created)
	l.result(answer.Declined)
	require.Equal(t, subscription.Incomplete, l.sub().Status)
	require.Zero(t, l.store.customer.Overdue)
}

// A change that waits for its payment is not made, and its invoice not owed. One of the subscription is.
func TestDebts_TheInvoiceOfAPendingChangeIsNone(t *testing.T) {
	t.Parallel()
	l := begun(t, watched(settings))
	l.result(answer.Succeeded)
	l.pass(week)
	l.must(lifecycle.ChangePlan{Plan: &pro, Behavior: subscription.PendPayment})
	l.result(answer.Declined)
	require.True(t, l.sub().Pays(l.open()[0].ID))
	require.Zero(t, l.store.customer.Overdue)
	l.until(l.sub().CurrentPeriod.End)
	l.result(answer.Declined)
	require.False(t, l.store.customer.Overdue.NextAt.IsZero(), "the renewal's is")
}

// customerOwing is the State of a customer's review.
func customerOwing(invoices ...invoice.Invoice) lifecycle.State {
	return lifecycle.State{Customer: payer(), Settings: watched(settings), Elsewhere: &invoices}
}

func TestReviewDebts_ByTime(t *testing.T) {
	t.Parallel()
	at := func(days int) lifecycle.Moment {
		now := created.AddDate(0, 0, days)
		return lifecycle.Moment{Now: now, Real: now, IDs: &ids{}}
	}
	s, changes := lifecycle.ReviewDebts(customerOwing(owedElsewhere("in_1", 500, created)), at(3))
	require.Equal(t, "warned", s.Customer.Overdue.State)
	require.Equal(t, &s.Customer.Overdue, changes.Standing)
	require.Len(t, changes.Events, 1)
	again, changes := lifecycle.ReviewDebts(s, at(4))
	require.Equal(t, s.Customer.Overdue, again.Customer.Overdue)
	require.NotNil(t, changes.Standing, "the mark of the review is replaced")
	require.Empty(t, changes.Events)

	s, _ = lifecycle.ReviewDebts(s, at(30))
	require.True(t, s.Customer.Overdue.Canceling)
	done, changes := lifecycle.EndCancellations(s, at(30))
	require.False(t, done.Customer.Overdue.Canceling)
	require.Equal(t, &done.Customer.Overdue, changes.Standing)
	_, changes = lifecycle.EndCancellations(done, at(30))
	require.Nil(t, changes.Standing, "nothing was left to do")

	s.Settings.Overdue, s.Elsewhere = overdue.Policy{}, nil // the policy is gone
	s.Customer.Overdue = overdue.Standing{NextAt: created}
	gone, changes := lifecycle.ReviewDebts(s, at(31))
	require.Zero(t, gone.Customer.Overdue)
	require.Equal(t, &overdue.Standing{}, changes.Standing)

	erased := customerOwing(owedElsewhere("in_1", 500, created))
	erased.Customer.ErasedAt, erased.Customer.Overdue.State = created, "ended"
	left, changes := lifecycle.ReviewDebts(erased, at(40))
	require.Zero(t, left.Customer.Overdue)
	require.Empty(t, changes.Events, "the event would have no reader")
}

func TestCancelForDebt_WhatTheStateAsksFor(t *testing.T) {
	t.Parallel()
	l := begun(t, watched(settings))
	l.result(answer.Succeeded)
	l.until(created.AddDate(0, 0, 10))
	found := l.load(false).state
	moment := l.moment()
	for name, standing := range map[string]overdue.Standing{
		"no state": {}, "done": {State: "ended", Since: l.now}, "it began later": {State: "ended", Canceling: true, Since: created.Add(-1)},
	} {
		found.Customer.Overdue = standing
		_, changes, err := lifecycle.CancelForDebt(found, moment)
		require.NoError(t, err, name)
		require.Zero(t, changes, name)
	}
	elsewhere := []invoice.Invoice{owedElsewhere("in_1", 500, created.AddDate(0, 0, -31))}
	found.Elsewhere = &elsewhere
	found.Customer.Overdue = overdue.Standing{State: "ended", Canceling: true, Since: l.now}
	state, changes, err := lifecycle.CancelForDebt(found, moment)
	require.NoError(t, err)
	require.Equal(t, subscription.Canceled, changes.Subscription.Status)
	require.Equal(t, subscribing.ReasonCustomerOverdue, changes.Subscription.CancelReason)
	require.True(t, state.Customer.Overdue.Canceling, "the others are still to be canceled")
	_, changes, err = lifecycle.CancelForDebt(state, moment)
	require.NoError(t, err)
	require.Zero(t, changes, "once")
}
