package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// Only the oldest invoice is in collection; the next one begins when it is paid.
func TestAdvance_WhoseTurnItIs(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Retry.Base = 30 * 24 * time.Hour // the first invoice is still retried when the second is issued
	l := begun(t, settings)
	l.result(answer.Declined)
	l.until(l.sub().CurrentPeriod.End)
	require.Len(t, l.open(), 2)
	first, second := l.open()[0], l.open()[1]
	require.Equal(t, first.ID, l.sub().CollectingInvoiceID)
	require.Equal(t, collection.Waiting, second.Collection.Phase)

	l.pay()
	l.result(answer.Succeeded)

	require.Equal(t, second.ID, l.sub().CollectingInvoiceID)
	require.Equal(t, second.ID, l.live("").InvoiceID)
}

func TestAdvance_NewMethodIsTriedAtOnce(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Declined)
	retryAt := l.sub().NextActionAt

	l.newMethod(true)

	require.Equal(t, collection.Manual, l.live("").Trigger)
	require.Zero(t, l.sub().MethodChangedAt)
	l.result(answer.Declined)
	require.Equal(t, retryAt, l.sub().NextActionAt, "it uses none of the schedule up")
}

func TestAdvance_NewMethodWaitsForTheLiveAttempt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)

	l.newMethod(true)
	require.Len(t, l.charges(), 1)
	l.result(answer.Declined)

	require.Len(t, l.charges(), 2, "the attempt in progress used the old one")
	require.Equal(t, collection.Manual, l.live("").Trigger)
}

// An attempt without a method or a provider fails without a call, and follows the usual schedule.
func TestAdvance_WithoutPaymentMethodOrProvider(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]func(*life){
		"method":   func(l *life) { l.store.customer.PaymentMethod = "" },
		"provider": func(l *life) { l.store.provider = nil },
	} {
		l := newLife(t, plans, settings, team, 0)
		without(l)
		l.until(created)
		require.Equal(t, payment.Failed, l.charges()[0].Status, name)
		require.Equal(t, payment.CodeInvalidAccount, l.charges()[0].FailureCode, name)
		require.Equal(t, 1, l.account.events[event.TypePaymentFailed], name)
		l.until(created.AddDate(0, 0, 7))
		require.Len(t, l.charges(), 4, name)
		require.EqualValues(t, "past_due", l.sub().Status, name)
	}
}

func TestApply_PayNamesItsAttempt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Declined)
	wrong, right := money.Minor(999), money.Minor(1000)

	_, err := l.apply(lifecycle.Pay{Amount: &wrong})
	require.Equal(t, "amount_mismatch", fault.From(err).Code)
	changes, err := l.apply(lifecycle.Pay{Amount: &right})

	require.NoError(t, err)
	require.Equal(t, l.live("").ID, changes.Attempt)
	_, err = l.apply(lifecycle.Pay{})
	require.ErrorIs(t, err, collection.ErrInProgress)
}

// Ids of automatic attempts are derived; those of people are not.
func TestAdvance_DerivedIDs(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	require.Contains(t, l.store.invoices[0].ID, "/sub_1/")
	require.Equal(t, "txn_"+"1769853600001/"+l.store.invoices[0].ID+"/1", l.charges()[0].ID)
	l.result(answer.Declined)
	l.pay()
	require.NotContains(t, l.charges()[1].ID, "/")
	l.result(answer.Declined)
	l.toNext(0)
	require.Equal(t, "txn_"+"1769853600002/"+l.store.invoices[0].ID+"/2", l.charges()[2].ID,
		"counts automatic attempts only")
}

// A new payment method comes during the charge of the first invoice. The next one is sent to its customer: the method
// is not tried, and no invoice waits for it any more.
func TestCollect_NewMethodBesideASentInvoice(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning.Retry.Base = 40 * 24 * time.Hour // for the first invoice
	l := begun(t, settings)
	l.result(answer.Declined)
	send, days := terms.Send, 30
	l.must(lifecycle.SetTerms{Method: &send, NetDays: &days})
	l.until(l.sub().CurrentPeriod.End)
	require.Len(t, l.open(), 2)
	l.pay()
	l.newMethod(true)
	require.Equal(t, l.now, l.sub().MethodChangedAt, "it waits for the attempt that uses the old one")

	l.result(answer.Succeeded)

	require.Equal(t, l.open()[0].ID, l.sub().CollectingInvoiceID)
	require.Nil(t, l.live(""))
	require.Zero(t, l.sub().MethodChangedAt)
}

// A manual invoice has no scheduled retry, since no workflow would make it.
func TestCollect_NothingIsRetriedOfAManualInvoice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 0, terms.Terms{}, 1000)
	d.store.settings = settings // three retries
	d.finalize()
	d.say(answer.Declined, d.charges()[0])
	require.Equal(t, collection.State{Phase: collection.Exhausted, Attempts: 1, Automatic: 1}, d.invoice().Collection)
}

// An invoice that replaces the one that made the subscription past due has one attempt, and no retry.
func TestCollect_NothingIsRetriedWhilePastDue(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.changePlan(pro, false)
	require.Equal(t, collection.Automatic, l.live("").Trigger)
	l.result(answer.Declined)
	require.Equal(t, collection.State{Phase: collection.Exhausted, Attempts: 1, Automatic: 1}, l.open()[0].Collection)
	require.Equal(t, subscription.PastDue, l.sub().Status)
}
