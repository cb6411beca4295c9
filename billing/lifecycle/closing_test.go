package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/answer"
	"perennial/billing/dunning"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

func (l *life) paysFor(to plan.Plan)       { l.changeAnd(to, answer.Succeeded) }
func (l *life) doesNotPayFor(to plan.Plan) { l.changeAnd(to, answer.Declined) }

// changeAnd changes the plan, for which the live attempt must end first, and answers the next attempt.
func (l *life) changeAnd(to plan.Plan, said answer.Outcome) {
	l.result(answer.Declined)
	l.changePlan(to, false)
	require.Equal(l.t, to.ID, l.sub().PlanID)
	l.result(said)
}

func (l *life) due() money.Minor {
	var sum money.Minor
	for _, inv := range l.open() {
		sum += inv.AmountDue
	}
	return sum
}

// The payment for unused time is refunded in the way it was paid; used and unpaid time stays due.
func TestCancel_RefundsUnusedTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first               plan.Plan
		trialDays           int
		story               func(*life)
		refund, credit, due money.Minor
	}{
		"all of it":     {first: team, story: func(*life) {}, refund: 1000},
		"half of it":    {first: team, story: func(l *life) { l.pass(2 * week) }, refund: 500},
		"the last hour": {first: team, story: func(l *life) { l.pass(4*week - time.Hour) }, refund: 1},
		"too little is left to be worth anything": {first: team, story: func(l *life) { l.pass(4*week - 1) }},
		"the upgrade is paid": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.paysFor(pro)
			l.pass(week)
		}, refund: 750},
		"the upgrade is paid, this instant": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.paysFor(pro)
		}, refund: 1500},
		"the upgrade is not paid, this instant": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.doesNotPayFor(pro)
		}, refund: 500},
		"the upgrade is not paid, and used for less than is left of what was": {first: team, story: func(l *life) {
			l.pass(week)
			l.doesNotPayFor(pro)
			l.pass(week / 2)
		}, refund: 375}, // 1000 paid, 250 + 375 used
		"the upgrade is not paid, and used for more": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.doesNotPayFor(pro)
			l.pass(week)
		}, due: 250}, // 1000 paid, 500 + 750 used
		"the upgrade is being paid": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.changePlan(pro, false)
		}, refund: 500},
		"a downgrade left credit": {first: pro, story: func(l *life) {
			l.pass(2 * week)
			l.changePlan(team, false)
			l.pass(week)
		}, refund: 1250}, // 3000 paid, 1500 + 250 used
		"credit of this period paid for the way back up": {first: pro, story: func(l *life) {
			l.pass(2 * week)
			l.changePlan(team, false)
			l.changePlan(pro, false)
		}, refund: 1500},
		"what was paid became credit, and that paid for the present plan": {first: pro, story: func(l *life) {
			l.changePlan(free, false)
			l.changePlan(team, false)
		}, refund: 3000},
		"what was paid became credit, and the present plan is free": {first: pro, story: func(l *life) {
			l.pass(2 * week)
			l.changePlan(free, false)
		}, refund: 1500},
		"credit paid for all of it": {first: pro, story: func(l *life) {
			l.pass(2 * week)
			l.changePlan(team, false)
			l.pass(2 * week)
		}, credit: 1000},
		"credit paid for some of it": {first: pro, story: func(l *life) {
			l.pass(3 * week)
			l.changePlan(team, false) // 500 are left over
			l.pass(week)
			l.result(answer.Succeeded)
		}, refund: 500, credit: 500},
		"two changes, only the second paid": {first: team, story: func(l *life) {
			l.pass(week)
			l.doesNotPayFor(pro)
			l.pass(week)
			l.paysFor(team)
		}, refund: 500},
		"two changes, only the first paid": {first: team, story: func(l *life) {
			l.pass(week)
			l.paysFor(pro)
			l.pass(week)
			l.doesNotPayFor(yearly)
		}, refund: 1500},
		"two changes, none paid": {first: team, story: func(l *life) {
			l.pass(week)
			l.doesNotPayFor(pro)
			l.pass(week)
			l.doesNotPayFor(team)
		}}, // 1000 paid, 250 + 750 used
		"the period restarted and is paid": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.paysFor(yearly)
		}, refund: 12000},
		"the period restarted and is not paid": {first: team, story: func(l *life) {
			l.pass(2 * week)
			l.doesNotPayFor(yearly)
		}, refund: 500},
		"in a trial": {first: team, trialDays: 14, story: func(l *life) { l.pass(week) }},
		"past due in the period that is not paid": {first: free, story: func(l *life) {
			l.doesNotPayFor(team)
			l.failToPastDue()
		}, due: 250},
		"past due, and the period was skipped": {first: free, story: func(l *life) {
			l.changePlan(team, false)
			l.failToPastDue()
			l.pass(4 * week)
		}, due: 1000},
	} {
		l := newLife(t, plans, settings, c.first, c.trialDays)
		l.until(l.now)
		l.result(answer.Succeeded)

		c.story(l)
		l.cancelNow(true)

		require.Equal(t, c.refund, l.refunded(), "%s: refund", name)
		require.Equal(t, c.credit, l.store.balance, "%s: credit", name)
		require.Equal(t, c.due, l.due(), "%s: due", name)
	}
}

// The end of a period belongs to the next one. If that is not open yet, nothing is refunded; if it is, all of it is.
func TestCancel_RefundAtPeriodBoundary(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	end := l.sub().CurrentPeriod.End

	for _, at := range []time.Time{end, end.Add(-1)} { // the last second has no price
		d, err := subscribing.With(l.sub(), l.facts()).Cancel(subscribing.Cancellation{Immediate: true, RefundUnused: true},
			at)
		require.NoError(t, err)
		require.Empty(t, d.Issue)
		require.Equal(t, end, d.Subscription.PaidThrough)
	}

	l.until(end)
	l.cancelNow(true)
	require.Zero(t, l.refunded())
	require.Zero(t, l.due(), "the new period's invoice is not for the customer any more")
	require.Equal(t, []money.Minor{1000}, l.totals(), "no invoice of 0.00 replaces it")
}

// The closing invoice shows the cost of the period, and its end.
func TestCancel_ClosingInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	l.pass(2 * week)
	l.doesNotPayFor(pro)
	l.now = l.now.Add(week + time.Millisecond)

	d, err := subscribing.With(l.sub(), l.facts()).Cancel(subscribing.Cancellation{Immediate: true, RefundUnused: true},
		l.now)

	require.NoError(t, err)
	require.True(t, d.StopCollection)
	require.Len(t, d.Issue, 1)
	closing, at := d.Issue[0], l.now.Truncate(time.Second)
	require.Equal(t, invoice.Update, closing.Reason)
	require.Equal(t, l.store.invoices[1].ID, closing.Replaces)
	require.Equal(t, l.sub().CurrentPeriod.Start, closing.Period.Start)
	require.Equal(t, at, closing.Period.End)
	var amounts []money.Minor
	for _, line := range closing.Lines {
		amounts = append(amounts, line.Amount)
	}
	require.Equal(t, []money.Minor{-500, 1500, -750}, amounts)
	require.Equal(t, at, closing.Lines[2].Period.Start)
	require.Equal(t, pro.ID, closing.Lines[2].PlanID)

	kept, err := subscribing.With(l.sub(), l.facts()).Cancel(subscribing.Cancellation{Immediate: true}, l.now)
	require.NoError(t, err)
	require.Empty(t, kept.Issue, "without a refund open invoices stay as they are")
}

// A called-off attempt may have captured all the same. Its invoice is void, so the capture is refunded.
func TestCancel_CaptureAfterClosingIsNotCounted(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.pass(week)
	l.cancelNow(true)
	require.Equal(t, money.Minor(250), l.due())

	l.answer(l.store.transactions[0].ID, answer.Succeeded)
	require.Equal(t, invoice.Void, l.store.invoices[0].Status)
	require.Equal(t, money.Minor(1000), l.refunded())

	l.pay()
	l.result(answer.Succeeded)
	require.Equal(t, money.Minor(250), l.store.invoices[1].AmountPaid)
	require.Equal(t, l.sub().CurrentPeriod.Start.Add(week), l.sub().PaidThrough)
}

// After any changes, payments, unpaid invoices and credit, a cancellation with refund keeps the money for used time,
// refunds at most what it has, and leaves exactly the used and unpaid amount open.
func TestCancel_RefundKeepsPriceOfUsedTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := drawing(t)
		l := someLife(t, draw)
		l.store.provider = &lifecycle.Provider{Name: "simulator", ConfigID: "pp_1"}
		results := rapid.SampledFrom([]answer.Outcome{
			answer.Succeeded, answer.Succeeded, answer.Declined,
		})
		l.until(l.now)
		for range rapid.IntRange(0, 8).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "an answer comes") {
				l.result(results.Draw(t, "result"))
			}
			l.pass(time.Duration(rapid.Int64Range(0, 40*86400).Draw(t, "seconds")) * time.Second)
			l.changePlan(l.anyPlan(draw), draw(5, "one in five") == 0)
		}
		if l.sub().Status == subscription.Canceled {
			return
		}

		l.cancelNow(true)

		used, kept := l.account.used+l.taxes(), l.capturedSum()-l.refunded()-l.store.balance
		require.GreaterOrEqual(t, kept, money.Minor(0), "more went back than came in")
		require.LessOrEqual(t, kept, used, "money was kept for time that was not used")
		require.Equal(t, used-kept, l.due())
	})
}

// A change of interval turns the rest of a year into credit. Within the next month it is still that money; a month that
// credit paid for is returned as credit.
func TestCancel_RefundOfAYearThatBecameCredit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		months         int
		refund, credit money.Minor
	}{
		"the month that the year's money paid for": {0, 12000, 0},
		"the next one, which credit paid for":      {1, 0, 11000},
	} {
		l := newLife(t, plans, settings, yearly, 0)
		l.until(l.now)
		l.result(answer.Succeeded)
		l.changePlan(team, false)
		require.Equal(t, money.Minor(11000), l.store.balance, name)
		for range c.months {
			l.until(l.sub().CurrentPeriod.End)
		}

		l.cancelNow(true)

		require.Equal(t, c.refund, l.refunded(), name)
		require.Equal(t, c.credit, l.store.balance, name)
	}
}

// A chain of changes within one period, each invoice paid or left open, costs the used time of each plan to the minor
// unit, for any length of period and any prices.
func TestChangePlan_ChainCostsUsedTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		plans := somePlans(drawing(t))
		interval, large := rapid.SampledFrom(intervals).Draw(t, "the interval of all"), rapid.Bool().Draw(t, "large")
		for i := range plans {
			plans[i].Interval = interval
			for j := range plans[i].Prices {
				if large { // a plan has three prices at most
					plans[i].Prices[j].Amount = money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)/4).Draw(t, "large price"))
				}
			}
		}
		l := newLife(t, plans, subscription.Settings{
			Dunning: dunning.Policy{Retry: retry.Policy{Base: 24 * time.Hour, Factor: 2, Retries: 3}, Final: dunning.PastDue},
		},
			plans[0], 0)
		l.until(l.now)
		end := l.sub().CurrentPeriod.End
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			l.result(rapid.SampledFrom([]answer.Outcome{answer.Succeeded, answer.Declined}).Draw(t, "result"))
			left := max(int64(end.Sub(l.now)/time.Second)-1, 0)
			l.until(l.now.Add(time.Duration(rapid.Int64Range(0, left).Draw(t, "seconds")) * time.Second))
			l.changePlan(l.anyPlan(drawing(t)), false)
		}
		for len(l.open()) > 0 {
			if l.live("") == nil {
				l.pay()
			}
			l.result(answer.Succeeded)
		}
		require.Equal(t, l.account.used, l.capturedSum()-l.store.balance)
		for _, inv := range l.store.invoices {
			require.NotEqual(t, invoice.Open, inv.Status)
		}
	})
}

// An hour apart: P, Q, P, Q, P, then the end. All but a few cents of the captures are refunded as unused time.
func TestCancel_RefundAfterManyChanges(t *testing.T) {
	t.Parallel()
	p, q := flat("plan_p", month, 1900), flat("plan_q", month, 4900)
	for _, changes := range [][]plan.Plan{{q, p}, {q, p, q, p}, {q, p, q, p, q}, {free, q, free, p, free}} {
		l := newLife(t, []plan.Plan{p, q, free}, settings, p, 0)
		l.until(l.now)
		l.result(answer.Succeeded)
		for _, to := range changes {
			l.pass(time.Hour)
			l.changePlan(to, false)
			l.result(answer.Succeeded)
		}
		captured := l.capturedSum()
		l.pass(time.Hour)

		l.cancelNow(true)

		require.Less(t, l.account.used, money.Minor(40))
		require.Equal(t, captured-l.account.used, l.refunded())
		require.Zero(t, l.store.balance)
		require.Zero(t, l.due())
	}
}
