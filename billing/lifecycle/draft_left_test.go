package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// leftBehind returns a subscription that a build without drafts has ended within a grace, with its draft.
func leftBehind(t *testing.T) (*life, invoice.Invoice) {
	t.Helper()
	l := graced(t, flat("plan_1", month, 1900))
	s := &l.store.sub
	s.Status, s.CanceledAt, s.FinishedAt = subscription.Canceled, l.now, l.now
	s.NextAction, s.NextActionAt = subscription.ActionNone, time.Time{}
	return l, l.store.drafts[0]
}

// A build without drafts ended a subscription within a grace, and overlooked the draft. It is issued as soon as it is
// found, and charged only up to a day after the grace.
func TestDraft_OfASubscriptionThatEndedWithoutIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		late     time.Duration
		attempts int
	}{
		"in time":             {0, 1},
		"a day later":         {24 * time.Hour, 1},
		"later than a day":    {24*time.Hour + time.Second, 0},
		"two months later":    {60 * 24 * time.Hour, 0},
		"while grace goes on": {-time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, draft := leftBehind(t)

			at := draft.FinalizesAt.Add(c.late)
			before := l.load(false).state
			l.now, l.real = at, at
			after, changes, err := lifecycle.Advance(before, l.moment())
			require.NoError(t, err)
			if c.late < 0 {
				require.Empty(t, changes.Invoices.Of(lifecycle.InvoiceFinalized))
				require.Equal(t, subscription.ActionFinalize, after.Subscription.NextAction, "it is waited for from now on")
				require.Zero(t, after.Subscription.FinishedAt)
				return
			}
			require.Len(t, changes.Invoices.Of(lifecycle.InvoiceFinalized), 1)
			require.Equal(t, draft.ID, changes.Invoices.Of(lifecycle.InvoiceFinalized)[0].ID)
			require.Len(t, changes.NewTransactions, c.attempts)
			require.Empty(t, after.Drafts)
			require.Equal(t, c.attempts == 0, !after.Subscription.FinishedAt.IsZero(), "finished when nothing is pending")
			inv := after.Open[0]
			require.Equal(t, invoice.Open, inv.Status)
			if c.attempts == 0 {
				require.Equal(t, collection.Closed, inv.Collection.Phase, "nothing automatic follows")
				return
			}
			require.Equal(t, payment.Pending, changes.NewTransactions[0].Status)
			require.EqualValues(t, 1900, changes.NewTransactions[0].Amount)
			require.Equal(t, collection.Charging, inv.Collection.Phase)
		})
	}
}

// A person finalizes the draft that a build without drafts left, before its grace ends.
func TestDraft_LeftBehindAndFinalizedByHand(t *testing.T) {
	t.Parallel()
	l, draft := leftBehind(t)
	after, _, err := lifecycle.Apply(l.load(false).state, lifecycle.FinalizeInvoice{InvoiceID: draft.ID}, l.moment())
	require.NoError(t, err)
	require.Len(t, after.Open, 1)
	require.Equal(t, collection.Charging, after.Open[0].Collection.Phase, "it has the one attempt that it would have had")
}

// The draft that another build left is issued while the customer pays an older invoice of the canceled subscription.
func TestDraft_LeftBehindLeavesAPersonsPaymentAlone(t *testing.T) {
	t.Parallel()
	l, draft := leftBehind(t)
	state := l.load(false).state
	state.Open = append(state.Open, invoice.Invoice{
		ID: "in_older", SubscriptionID: draft.SubscriptionID, CustomerID: draft.CustomerID, Status: invoice.Open,
		Currency: "EUR", Total: 500, AmountDue: 500,
		Number: 1, PeriodIndex: 1, Collection: collection.State{
			Phase: collection.Charging, Trigger: collection.Manual, Attempts: 1,
		},
	})
	state.Pending = append(state.Pending, payment.Transaction{
		ID: "txn_asked", Type: payment.Charge, Status: payment.Pending, SubscriptionID: draft.SubscriptionID,
		InvoiceID: "in_older", Amount: 500, Currency: "EUR",
		FirstSentAt: l.real, NextCheckAt: l.real,
	})
	l.now, l.real = draft.FinalizesAt, draft.FinalizesAt
	_, changes, err := lifecycle.Advance(state, l.moment())
	require.NoError(t, err)
	require.Len(t, changes.Invoices.Of(lifecycle.InvoiceFinalized), 1)
	for _, txn := range changes.Transactions {
		require.Zero(t, txn.CancelRequestedAt, "%s was asked for by a person", txn.ID)
	}
}

// A customer who owes an earlier invoice is not charged for the draft either: no automatic attempt follows the end.
func TestDraft_OfASubscriptionThatEndedOwing(t *testing.T) {
	t.Parallel()
	l, draft := leftBehind(t)
	before := l.load(false).state
	owed := draft
	owed.ID, owed.Number, owed.Status = "in_owed", 7, invoice.Open
	owed.Collection = collection.State{Phase: collection.Closed, Attempts: 4, Automatic: 4}
	before.Open = append(before.Open, owed)
	l.now, l.real = draft.FinalizesAt, draft.FinalizesAt
	_, changes, err := lifecycle.Advance(before, l.moment())
	require.NoError(t, err)
	require.Len(t, changes.Invoices.Of(lifecycle.InvoiceFinalized), 1)
	require.Empty(t, changes.NewTransactions)
}

// numbers returns the numbers of the open invoices after a decision, in the order of a read.
func (l *life) numbers() (all []int64) {
	for _, inv := range l.store.load(false).Open {
		all = append(all, inv.Number)
	}
	return all
}

// twoDrafts returns the drafts of a month that a change to days cut short, and of the day after it.
func twoDrafts(t *testing.T) (l *life, first, second string) {
	t.Helper()
	daily := flat("plan_2", period.Interval{Unit: period.Day, Count: 1}, 100)
	l = gracedFor(t, 4, flat("plan_1", month, 1900), daily, flat("plan_3", daily.Interval, 300))
	l.moveTo(l.now.Add(6 * time.Hour))
	first = l.store.drafts[0].ID
	l.changePlan(daily, false)
	l.moveTo(l.sub().CurrentPeriod.End)
	l.advance()
	require.Len(t, l.store.drafts, 2)
	second = l.store.drafts[0].ID
	require.NotEqual(t, first, second, "it is issued after one day, the first after four")
	return l, first, second
}

// Canceling the subscription issues both drafts, with numbers in their usual order.
func TestDraft_EndIssuesAllOfThem(t *testing.T) {
	t.Parallel()
	l, first, second := twoDrafts(t)
	l.cancelNow(false)
	require.Empty(t, l.store.drafts)
	require.Equal(t, []int64{2, 3}, l.numbers())
	require.Equal(t, [2]int64{2, 3}, [2]int64{l.store.invoice(second).Number, l.store.invoice(first).Number})
}

// The draft of the day is issued by hand, and a change waits for the next invoice when the subscription ends: the draft
// of the month gets an earlier number than the last invoice.
func TestDraft_EndNumbersThemBeforeTheLastInvoice(t *testing.T) {
	t.Parallel()
	l, first, second := twoDrafts(t)
	l.must(lifecycle.FinalizeInvoice{InvoiceID: second})
	l.result(answer.Succeeded)
	l.moveTo(l.now.Add(6 * time.Hour))
	l.how = subscription.NextInvoice
	l.changePlan(l.newest("plan_3"), false)
	require.NotEmpty(t, l.sub().PendingLines)
	l.cancelNow(false)
	require.Equal(t, []int64{3, 4}, l.numbers())
	require.EqualValues(t, 3, l.store.invoice(first).Number)
}
