package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/foresight"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// callsPlan returns a plan of 19.00 a month, with calls at 0.03.
func callsPlan() plan.Plan {
	p := flat("plan_calls", month, 1900)
	p.Metered = &metered.Prices{Components: []metered.Component{{
		ID: "calls", MetricName: "calls", MetricVersionID: "met_1",
		Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: dec("0.03")}}},
	}}}
	return p
}

// calling returns a life after the paid first month on a plan with metered prices, with a grace.
func calling(t *testing.T, graceDays int, others ...plan.Plan) *life {
	t.Helper()
	s := settings
	s.InvoiceGraceMinutes = graceDays * 24 * 60
	p := callsPlan()
	l := newLife(t, append(others, p), s, p, 0)
	l.metered, l.lazy, l.began = true, true, created
	l.advance()
	l.result(answer.Succeeded)
	return l
}

// call records calls.
func (l *life) call(at time.Time, calls int64) {
	r := record{at: at, metric: "calls", quantity: calls}
	require.True(l.t, l.takes(r), "%+v", r)
	l.store.records = append(l.store.records, r)
}

// issue rates the first waiting draft when it is due, and returns it afterwards.
func (l *life) issue() *invoice.Invoice {
	draft, waits := l.awaiting()
	require.True(l.t, waits)
	if draft.FinalizesAt.After(l.now) {
		l.until(draft.FinalizesAt)
	}
	require.True(l.t, l.billUsage())
	return l.store.invoice(draft.ID)
}

// 100 calls of February are on the invoice of March; 50 more and 20 fewer, which are recorded later, on that of April.
func TestBillUsage_LateRecordsAreOnTheNextInvoice(t *testing.T) {
	t.Parallel()
	l := calling(t, 1)
	february := l.sub().CurrentPeriod
	l.until(february.End)
	l.call(february.End.Add(-time.Second), 100)
	l.call(february.End, 7) // of the next period
	require.Equal(t, subscription.ActionBillUsage, l.sub().NextAction)

	first := l.issue()

	require.Equal(t, [2]money.Minor{300, 2200}, [2]money.Minor{meteredOf(first.Lines), first.Total})
	require.Equal(t, invoice.Cycle, first.Reason)
	l.result(answer.Succeeded)
	l.call(february.Start, 50)
	l.store.records = append(l.store.records, record{at: february.End.Add(-time.Second), metric: "calls", quantity: -20})
	l.until(l.sub().CurrentPeriod.End)

	second := l.issue()

	require.Equal(t, [2]money.Minor{90 + 21, 1900 + 90 + 21}, [2]money.Minor{meteredOf(second.Lines), second.Total})
	require.Equal(t, [2]int{1, 2}, [2]int{second.Lines[1].PeriodIndex, second.Lines[2].PeriodIndex})
}

// While rating fails for months, boundaries, payments and commands continue. Each draft bills its time once it is
// rated.
func TestBillUsage_UnratedDraftsHoldNothingUp(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	for range 3 {
		l.until(l.sub().CurrentPeriod.End)
		l.call(l.now.Add(-time.Hour), 10)
	}
	require.Len(t, l.store.drafts, 3)
	require.Equal(t, [2]any{subscription.Active, 4}, [2]any{l.sub().Status, l.sub().PeriodIndex})
	_, err := l.apply(lifecycle.Pause{})
	require.Equal(t, subscribing.ErrInvoiceDraft, err, "as for any draft")
	l.changeQuantity(2, false)

	for range 3 {
		inv := l.issue()
		require.Equal(t, money.Minor(30), meteredOf(inv.Lines))
	}
	require.Len(t, l.open(), 3)
}

// A cancellation leaves the draft of its usage, which gets one attempt when it is issued. Later records are refused.
func TestBillUsage_OfTheEnd(t *testing.T) {
	t.Parallel()
	l := calling(t, 1)
	l.pass(10 * 24 * time.Hour)
	l.cancelNow(false)
	require.Zero(t, l.sub().FinishedAt)
	l.pass(time.Hour)
	l.call(created, 10)

	inv := l.issue()

	require.Equal(t, [2]any{invoice.Usage, money.Minor(30)}, [2]any{inv.Reason, inv.Total})
	require.NotNil(t, l.live(inv.ID))
	require.False(t, l.takes(record{at: created, metric: "calls", quantity: 1}), "no invoice would bill it")
	l.result(answer.Declined)
	require.Nil(t, l.live(inv.ID), "one attempt")
	require.NotZero(t, l.sub().FinishedAt)
}

// If a subscription ends within a grace, the draft of the end may be issued by hand before the renewal's. Then records
// are refused, although a draft still waits: none would bill them.
func TestBillUsage_OfTheEndBeforeThatOfTheRenewal(t *testing.T) {
	t.Parallel()
	l := calling(t, 3)
	l.until(l.sub().CurrentPeriod.End)
	l.pass(24 * time.Hour)
	l.call(created, 10)
	l.cancelNow(false)
	require.Len(t, l.store.drafts, 2)
	last := l.store.drafts[1]
	l.call(l.now.Add(-time.Hour), 5)
	l.must(lifecycle.FinalizeInvoice{InvoiceID: last.ID})

	require.Equal(t, money.Minor(45), meteredOf(l.issue().Lines))

	require.False(t, l.takes(record{at: l.now.Add(-2 * time.Hour), metric: "calls", quantity: 1}))
	renewal := l.issue()
	require.Equal(t, [2]money.Minor{0, 1900}, [2]money.Minor{meteredOf(renewal.Lines), renewal.Total})
}

// Late records are billed with the first renewal after the time in which they may come. The invoice of a cancellation
// includes that draft: its records are on the draft of the end.
func TestBillUsage_LateRecordsOfADraftThatIsTakenIn(t *testing.T) {
	t.Parallel()
	other := flat("plan_other", month, 1900)
	l := calling(t, 1, other)
	february := l.sub().CurrentPeriod
	l.changePlan(other, true)
	for range 4 {
		l.until(l.sub().CurrentPeriod.End)
		if l.sub().PeriodIndex == 5 {
			break
		}
		l.issue()
		l.result(answer.Succeeded)
		l.until(l.sub().CurrentPeriod.End.Add(-4 * 24 * time.Hour))
		if l.sub().PeriodIndex == 4 {
			l.call(february.End.Add(-time.Second), 10)
		}
	}
	draft, waits := l.awaiting()
	require.True(t, waits && !draft.UsageUntil.Before(l.sub().LateUsageUntil))

	l.cancelNow(true)

	require.Equal(t, money.Minor(30), meteredOf(l.issue().Lines))
}

// A rating in progress while its customer is deleted bills nothing: the invoice would have no recipient.
func TestBillUsage_OfAnErasedCustomer(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	l.until(l.sub().CurrentPeriod.End)
	l.call(created, 10)
	invoices := len(l.store.invoices)
	l.erase()

	require.True(t, l.billUsage())

	require.Len(t, l.store.invoices, invoices)
	require.Empty(t, l.store.drafts)
	require.Equal(t, subscription.Canceled, l.sub().Status)
}

// Paid usage does not activate a subscription whose first period was given up.
func TestBillUsage_ActivatesNothing(t *testing.T) {
	t.Parallel()
	yearly := flat("plan_yearly", year, 9900)
	p := callsPlan()
	l := newLife(t, []plan.Plan{p, yearly}, settings, p, 0)
	l.metered, l.lazy, l.began = true, true, created
	l.advance()
	l.result(answer.Declined)
	l.pass(time.Hour)
	l.changePlan(yearly, false)
	l.result(answer.Declined)
	l.call(created, 10)
	usage := l.issue()
	require.Equal(t, invoice.Usage, usage.Reason)
	l.void(l.open()[0])
	l.markPaid(*l.store.invoice(usage.ID))

	require.Equal(t, invoice.Paid, l.store.invoice(usage.ID).Status)
	require.Zero(t, l.sub().ActivatedAt)
	require.Zero(t, l.sub().PaidThrough)
}

// Future usage is unknown: the foreseen invoices have none, each at the end of its grace.
func TestPreview_OfMeteredPrices(t *testing.T) {
	t.Parallel()
	yearly := flat("plan_yearly", year, 9900)
	l := calling(t, 1, yearly)
	l.call(created, 10)

	shown, err := foresight.Preview(l.store.load(false), nil, 3, nil, l.moment())

	require.NoError(t, err)
	require.Len(t, shown.Upcoming, 3)
	end := l.sub().CurrentPeriod.End
	for _, inv := range shown.Upcoming {
		require.Equal(t, end.Add(24*time.Hour), inv.IssuedAt)
		require.Equal(t, money.Minor(1900), inv.Total)
		end = inv.Period.End
	}

	l.pass(10 * 24 * time.Hour)
	shown, err = foresight.Preview(l.store.load(true), lifecycle.ChangePlan{Plan: &yearly}, 2, nil, l.moment())

	require.NoError(t, err)
	require.Len(t, shown.Issued, 2, "the invoice of the change, and the draft of what was used before it")
	draft := shown.Issued[1]
	require.Equal(t, [3]any{invoice.InDraft, invoice.Usage, l.now}, [3]any{draft.Status, draft.Reason, draft.UsageUntil})
	require.Len(t, shown.Upcoming, 2)
	require.Equal(t, money.Minor(9900), shown.Upcoming[0].Total)
}

// A restored database closes the same segments and creates the same invoices, with any random ids.
func TestBillUsage_RepeatedAfterARestore(t *testing.T) {
	t.Parallel()
	l := calling(t, 1)
	l.call(created, 10)
	again, backup := l.restored(), l.store.clone()
	for _, life := range []*life{l, again} {
		life.until(life.sub().CurrentPeriod.End)
		life.issue()
		life.pass(time.Hour)
	}
	require.Equal(t, l.store.segments, again.store.segments)
	require.Equal(t, l.store.charges, again.store.charges)
	require.Len(t, l.store.charges, 1)
	require.Equal(t, l.made(backup), again.made(backup))
}
