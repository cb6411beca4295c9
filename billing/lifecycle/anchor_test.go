package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// Half of the period is used: the other half is credited, or lost without proration. The next period is whole.
func TestMoveAnchor(t *testing.T) {
	t.Parallel()
	for how, total := range map[subscription.ProrationBehavior]money.Minor{
		"": 500, subscription.NextInvoice: 500, subscription.NoProration: 1000,
	} {
		l := paidHalf(t)
		l.account.how = how

		l.must(lifecycle.MoveAnchor{Proration: how})

		require.Equal(t, []money.Minor{1000, total}, l.totals(), how)
		require.Equal(t, period.Period{Start: l.now, End: l.now.AddDate(0, 1, 0)}, l.sub().CurrentPeriod)
		l.result(answer.Succeeded)
		l.until(l.sub().CurrentPeriod.End)
		require.Equal(t, []money.Minor{1000, total, 1000}, l.totals(), how)
	}
}

// A first period up to a later anchor costs its part of the interval that ends there, and so do parts of it.
func TestCreate_Anchor(t *testing.T) {
	t.Parallel()
	at := created.AddDate(0, 0, 14) // 14 February, of an interval that begins on 14 January
	whole := period.Period{Start: created.AddDate(0, 0, -17), End: at}
	begin := func(in subscribing.NewInput) *life {
		in.Anchor = at
		l := newLifeOf(t, plans, settings, team, in)
		l.until(created)
		return l
	}
	l := begin(subscribing.NewInput{})
	part := money.Part(1000, 17*86400, 31*86400, 31*86400)
	require.Equal(t, []money.Minor{part}, l.totals())
	require.Equal(t, period.Period{Start: created, End: at}, l.sub().CurrentPeriod)
	require.Equal(t, period.Period{Start: created, End: at}, l.store.invoices[0].Period)
	l.result(answer.Succeeded)
	l.moveTo(created.AddDate(0, 0, 7))
	l.changePlan(pro, false)
	lastWeek := func(price money.Minor) money.Minor { return money.Part(price, 24*86400, 31*86400, whole.Seconds()) }
	require.Equal(t, lastWeek(3000)-lastWeek(1000), l.totals()[1], "20.00 more for a week of it")
	l.result(answer.Succeeded)
	l.until(at)
	require.Equal(t, period.Period{Start: at, End: at.AddDate(0, 1, 0)}, l.sub().CurrentPeriod)
	require.EqualValues(t, 3000, l.totals()[2])

	free := begin(subscribing.NewInput{Proration: subscription.NoProration})
	require.Empty(t, free.totals())
	require.Equal(t, at, free.sub().PaidThrough)
	free.moveTo(created.AddDate(0, 0, 7))
	free.changePlan(pro, false)
	require.Equal(t, []money.Minor{lastWeek(3000)}, free.totals(), "from the change on")

	// A start in the past: a partial period, two whole ones, and the current one.
	past := newLifeOf(t, plans, settings, team, subscribing.NewInput{
		StartsAt: created.AddDate(0, 0, -75), Anchor: created.AddDate(0, 0, -61),
	})
	past.until(created)
	require.Len(t, past.totals(), 1)
	require.Len(t, past.store.invoices[0].Lines, 3)
	require.Equal(t, 3, past.sub().PeriodIndex)
	require.Equal(t, created.AddDate(0, 0, -75), past.store.invoices[0].Period.Start)
}

func TestCreate_AnchorRefuses(t *testing.T) {
	t.Parallel()
	trial, days := team, 0
	trial.TrialDays = 14
	later, start := created.AddDate(0, 0, 14), created.AddDate(0, 0, -3)
	const outOfRange = "billing_anchor_out_of_range"
	for name, c := range map[string]struct {
		plan plan.Plan
		in   subscribing.NewInput
		code string
	}{
		"the start itself":             {team, subscribing.NewInput{Anchor: created}, outOfRange},
		"beyond an interval":           {team, subscribing.NewInput{Anchor: created.AddDate(0, 0, 32)}, outOfRange},
		"before a start in the past":   {team, subscribing.NewInput{StartsAt: start, Anchor: start.Add(-1e9)}, outOfRange},
		"a trial":                      {trial, subscribing.NewInput{Anchor: later}, "fields_exclusive"},
		"a trial that is switched off": {trial, subscribing.NewInput{Anchor: later, TrialDays: &days}, ""},
	} {
		c.in.Now, c.in.TimeZone = created, "UTC"
		_, _, err := subscribing.Create(c.plan, c.in)
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
}

// Without proration the former period keeps its price: refunds of the new period do not include it.
func TestMoveAnchor_WithoutProrationClosesThePeriod(t *testing.T) {
	t.Parallel()
	l := paidHalf(t)
	l.account.how = subscription.NoProration
	l.must(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	l.result(answer.Succeeded)

	require.Equal(t, l.store.invoices[1:], l.store.load(false).Paid)

	// The whole payment of the new period was refunded elsewhere: its unused time does not reduce the former one.
	l.pass(week)
	state := l.store.load(true)
	charge := state.Captures[l.store.invoices[1].ID]
	charge.AmountRefunded = charge.Amount
	state.Captures[l.store.invoices[1].ID] = charge
	_, changes, err := lifecycle.Apply(state, lifecycle.Cancel{Immediate: true, RefundUnused: true}, l.moment())
	require.NoError(t, err)
	require.Empty(t, changes.NewTransactions)
	require.Empty(t, changes.Credit)
}

// A period cannot end in its first second, and a customer who leaves with the period is billed for no other.
func TestMoveAnchor_Refusals(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	_, err := l.apply(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	require.Equal(t, subscribing.ErrSameInstant, err)

	l.pass(week)
	l.schedule(lifecycle.Cancel{})
	_, err = l.apply(lifecycle.MoveAnchor{})
	require.Equal(t, subscribing.ErrEnding, err)
}

// The unpaid part of the ended period goes to the new invoice, which a payment in progress refuses.
func TestMoveAnchor_UnpaidPeriod(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.moveTo(l.now.Add(time.Second))
	_, err := l.apply(lifecycle.MoveAnchor{})
	require.ErrorIs(t, err, subscribing.ErrPaymentPending)
	l.failToPastDue()
	_, err = l.apply(lifecycle.MoveAnchor{Proration: subscription.NoProration})
	require.ErrorIs(t, err, subscribing.ErrPeriodUnpaid)

	l.must(lifecycle.MoveAnchor{})

	require.Equal(t, []money.Minor{1250}, l.totals(), "a quarter of the first period, and the next one")
	l.pay()
	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, l.sub().CurrentPeriod.End, l.sub().PaidThrough)
}
