package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// refuses requires the code with which a command is refused.
func (l *life) refuses(code string, cmd lifecycle.Command) {
	_, err := l.apply(cmd)
	require.Equal(l.t, code, fault.From(err).Code)
}

func TestMixed_Refusals(t *testing.T) {
	t.Parallel()
	weekly := addOnOf("plan_weekly", period.Interval{Unit: period.Week, Count: 1}, 100)
	arrears := addOnOf("plan_arrears", year, 100)
	arrears.Prices[0].Arrears = true
	_, err := subscription.Sell(*choose(seats, weekly), annual)
	require.Equal(t, [2]string{"add_on_interval_mismatch", "addOns[1].planId"},
		[2]string{fault.From(err).Code, fault.From(err).Param})
	_, err = subscription.Sell(*choose(arrears), annual)
	require.NoError(t, err)
	for _, chosen := range []*[]subscription.Chosen{choose(arrears, seats), choose(seats, arrears)} {
		_, err = subscription.Sell(*chosen, annual)
		require.ErrorIs(t, err, subscription.ErrLongUsage)
	}
	least := team
	least.Metered = leastPrices(t)
	_, err = subscription.Sell(*choose(support), least)
	require.ErrorIs(t, err, subscription.ErrLongUsage, "its minimum would count the year in each month")

	l := mixedLife(t, annual, seats)
	l.months(1)
	none := lifecycle.ChangePlan{Plan: &annual2, Proration: subscription.NoProration}
	l.refuses("proration_none_unsupported", none)
	l.must(lifecycle.ChangePlan{AddOns: choose(), Proration: subscription.NoProration}) // seats have the short interval

	l = mixedLife(t, team, support)
	l.refuses("add_ons_other_interval", lifecycle.ChangePlan{Plan: &annual, AtPeriodEnd: true})
	l.must(lifecycle.ChangePlan{Plan: &annual}) // credits what is left of both

	l = mixedLifeOf(t, annual, subscribing.NewInput{Anchor: ofMonths.Boundary(3)})
	l.refuses("first_period_short", lifecycle.ChangePlan{AddOns: choose(seats)})
	l.must(lifecycle.ChangePlan{AddOns: choose(seats), AtPeriodEnd: true})
	l.months(3)
	require.Equal(t, month, l.sub().Interval)
}

// leastPrices returns prices with a minimum.
func leastPrices(t *testing.T) *metered.Prices {
	t.Helper()
	return &metered.Prices{Minimum: &metered.Minimum{ID: "min_1", Amount: 100}}
}

// A year of support begins while the subscription is past due, and nothing is billed: on recovery it costs its rest, and
// is not billed again by the next months.
func TestMixed_SkippedBeginOfALongPeriod(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, team, support)
	l.store.settings.PastDueBilling = subscription.SkipPastDue
	l.account.settings.PastDueBilling = subscription.SkipPastDue
	l.months(10)
	l.until(ofMonths.Boundary(11))
	for l.live("") != nil || l.sub().Status == subscription.Active {
		if l.live("") != nil {
			l.result(answer.Declined)
			continue
		}
		_, at := l.next()
		l.until(at)
	}
	l.until(ofMonths.Boundary(13).AddDate(0, 0, 3))
	require.Equal(t, subscription.PastDue, l.sub().Status)
	billed := len(l.totals())
	l.must(lifecycle.Pay{})
	l.payAll()
	l.payAll()
	second := period.Period{Start: firstYear.End, End: created.AddDate(2, 0, 0)}
	require.Equal(t, []money.Minor{1_000 + rest(36_000, second, ofMonths.Boundary(13))}, l.totals()[billed:])
	l.months(2)
	require.Equal(t, []money.Minor{1_000, 1_000}, l.totals()[billed+1:])
}

// An unpaid line of a year, on an invoice from before the current month, is not credited: it is paid or given up first.
func TestMixed_UnpaidLongPeriod(t *testing.T) {
	t.Parallel()
	in := subscribing.NewInput{AddOns: *choose(seats)}
	l := newLifeOf(t, []plan.Plan{annual, annual2, seats}, settings, annual, in)
	l.mixed = true
	l.store.settings.Dunning.Retry.Retries = 0
	l.until(created)
	l.result(answer.Declined)
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.Nil(t, l.sub().PaidFor, "the plan is not paid")
	l.until(ofMonths.Boundary(1).AddDate(0, 0, 1))
	l.refuses("subscription_past_due", lifecycle.ChangePlan{Plan: &annual2})
	l.store.settings.PastDueBilling = subscription.AccruePastDue
	l.until(ofMonths.Boundary(2).AddDate(0, 0, 1))
	l.refuses("subscription_invoice_open", lifecycle.ChangePlan{Plan: &annual2})
	l.refuses("subscription_invoice_open", lifecycle.Cancel{Immediate: true, RefundUnused: true})
	l.must(lifecycle.Cancel{Immediate: true})
}

// An older invoice that is open, but does not bill what a change removes, does not refuse it; nor does a year that began
// unbilled, in past due, refuse the end with a refund.
func TestMixed_NotRefusedForOtherInvoices(t *testing.T) {
	t.Parallel()
	for _, billing := range []subscription.PastDueBilling{subscription.AccruePastDue, subscription.SkipPastDue} {
		set := settings
		set.PastDueBilling = billing
		l := newLifeOf(t, []plan.Plan{team, support}, set, team, subscribing.NewInput{AddOns: *choose(support)})
		l.mixed = true
		l.until(created)
		l.payAll()
		l.months(10)
		l.until(ofMonths.Boundary(11))
		l.untilPastDue()
		if billing == subscription.SkipPastDue {
			l.until(ofMonths.Boundary(12).AddDate(0, 0, 3))
			l.must(lifecycle.Cancel{Immediate: true, RefundUnused: true})
			require.Zero(t, l.refunded()+l.store.balance)
			continue
		}
		l.months(1)
		l.until(ofMonths.Boundary(12).AddDate(0, 0, -3))
		l.must(lifecycle.ChangePlan{AddOns: choose()})
		require.Empty(t, l.sub().AddOns)
	}
}
