package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// firstFree is a plan whose first unit is free, and each further one costs 10.00.
var firstFree = func() plan.Plan {
	p := flat("plan_first_free", month, 0)
	p.Prices[0].Price = rating.Price{Model: rating.Graduated, Tiers: []rating.Tier{
		{UpTo: money.Whole(1), UnitPrice: money.Units(0, "EUR")}, {UnitPrice: money.Units(1_000, "EUR")},
	}}
	return p
}()

// owingLife returns a subscription of one free unit beside an unpaid month of four units.
func owingLife(t *testing.T, billing subscription.PastDueBilling, retries ...time.Duration) *life {
	t.Helper()
	set := settings
	set.PastDueBilling = billing
	set.Dunning.Retry.Retries, set.Dunning.Retry.Gaps = len(retries), retries
	l := newLifeOf(t, []plan.Plan{firstFree}, set, firstFree, subscribing.NewInput{Quantity: 4})
	l.account.units = 4
	l.until(created)
	l.result(answer.Declined)
	l.must(lifecycle.ChangePlan{Quantity: 1, AtPeriodEnd: true})
	return l
}

// A month that begins in past due costs nothing, and is billed (accrue): three more units in its middle are charged at
// once, from then on. Where it is skipped, they are charged with the recovery.
func TestFreePeriod_ThatBeginsInPastDue(t *testing.T) {
	t.Parallel()
	l := owingLife(t, subscription.AccruePastDue, 24*time.Hour)
	l.untilPastDue()
	l.until(ofMonths.Boundary(1).AddDate(0, 0, 10))
	require.Equal(t, l.sub().PeriodIndex, l.sub().FreeIndex)
	own := period.Period{Start: ofMonths.Boundary(1), End: ofMonths.Boundary(2)}

	l.must(lifecycle.ChangePlan{Quantity: 4})

	require.Equal(t, []money.Minor{3_000, rest(3_000, own, l.now)}, l.totals())
	l.must(lifecycle.Pay{})
	l.payAll()
	l.payAll()
	require.Len(t, l.totals(), 2, "the recovery bills nothing again")
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, own.End, l.sub().PaidThrough)

	l = owingLife(t, subscription.SkipPastDue, 24*time.Hour)
	l.untilPastDue()
	l.until(ofMonths.Boundary(1).AddDate(0, 0, 10))
	l.must(lifecycle.ChangePlan{Quantity: 4})
	require.Len(t, l.totals(), 1)
	l.must(lifecycle.Pay{})
	l.payAll()
	require.Equal(t, []money.Minor{3_000, 3_000}, l.totals())
}

// A free month becomes past due in its middle, for the month before: a change in it is charged from then on, not with
// the recovery for the whole month. Without a change the recovery leaves it paid through its end.
func TestFreePeriod_ThatBecomesPastDue(t *testing.T) {
	t.Parallel()
	for _, changes := range []bool{true, false} {
		l := owingLife(t, subscription.SkipPastDue, 35*24*time.Hour)
		l.until(ofMonths.Boundary(1).AddDate(0, 0, 2))
		require.Equal(t, []any{2, 2, subscription.Active}, []any{l.sub().PeriodIndex, l.sub().FreeIndex, l.sub().Status})
		l.untilPastDue()
		own := period.Period{Start: ofMonths.Boundary(1), End: ofMonths.Boundary(2)}
		require.True(t, own.Contains(l.now))
		want := []money.Minor{3_000}
		if changes {
			l.must(lifecycle.ChangePlan{Quantity: 4})
			want = append(want, rest(3_000, own, l.now))
			require.Equal(t, want, l.totals())
		}
		l.must(lifecycle.Pay{})
		l.payAll()
		l.payAll()
		require.Equal(t, want, l.totals())
		require.Equal(t, subscription.Active, l.sub().Status)
		require.Equal(t, own.End, l.sub().PaidThrough)
		require.NotContains(t, l.reasons(), invoice.Recovery)
	}
}

// reasons returns those of all invoices.
func (l *life) reasons() (all []invoice.Reason) {
	for _, inv := range l.store.all() {
		all = append(all, inv.Reason)
	}
	return all
}
