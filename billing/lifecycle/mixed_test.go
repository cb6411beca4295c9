package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

var (
	annual  = flat("plan_annual", year, 120_000)
	annual2 = flat("plan_annual_2", year, 240_000)
	seats   = addOnOf("plan_seats", month, 1_000)
	support = addOnOf("plan_support", year, 36_000)
)

func addOnOf(id string, every period.Interval, amount money.Minor) plan.Plan {
	p := flat(id, every, amount)
	p.AddOn = true
	return p
}

// mixedLife returns a subscription of a plan with add-ons, whose first invoice is paid.
func mixedLife(t *testing.T, on plan.Plan, addOns ...plan.Plan) *life {
	t.Helper()
	in := subscribing.NewInput{}
	for _, a := range addOns {
		in.AddOns = append(in.AddOns, subscription.Chosen{AddOn: a})
	}
	return mixedLifeOf(t, on, in)
}

func mixedLifeOf(t *testing.T, on plan.Plan, in subscribing.NewInput) *life {
	t.Helper()
	l := newLifeOf(t, []plan.Plan{annual, annual2, team, pro, seats, support}, settings, on, in)
	l.mixed = true
	l.until(created)
	l.payAll()
	return l
}

// payAll lets the live attempt succeed.
func (l *life) payAll() {
	if l.live("") != nil {
		l.result(answer.Succeeded)
	}
}

// ofMonths is the grid of months from the creation.
var ofMonths = period.Schedule{Anchor: created, Location: paris, Interval: month}

// months plays a number of months from the creation, and lets every payment succeed.
func (l *life) months(n int) {
	for to := ofMonths.Boundary(ofMonths.IndexAt(l.now) + n); l.now.Before(to); {
		_, at := l.next()
		if at.IsZero() || at.After(to) {
			at = to
		}
		l.until(at)
		l.payAll()
	}
}

var firstYear = period.Period{Start: created, End: created.AddDate(1, 0, 0)}

// rest returns what an amount for a period costs from an instant on.
func rest(of money.Minor, own period.Period, from time.Time) money.Minor {
	return money.Part(of, from.Unix()-own.Start.Unix(), own.Seconds(), own.Seconds())
}

// choose requests add-ons, one of each.
func choose(addOns ...plan.Plan) *[]subscription.Chosen {
	chosen := []subscription.Chosen{}
	for _, a := range addOns {
		chosen = append(chosen, subscription.Chosen{AddOn: a})
	}
	return &chosen
}

// A plan of a year and seats of a month: each is billed at its own boundary, and together where these meet.
func TestMixed_Renewals(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	require.Equal(t, month, l.sub().Interval)
	require.Equal(t, year, l.sub().PlanInterval)
	require.Equal(t, created.AddDate(1, 0, 0), l.sub().PaidThrough, "the plan is paid for a year")
	l.months(13)

	want := []money.Minor{121_000}
	for range 11 {
		want = append(want, 1_000)
	}
	require.Equal(t, append(want, 121_000, 1_000), l.totals())
	first := l.store.invoices[0]
	require.Equal(t, period.Period{Start: created, End: ofMonths.Boundary(1)}, first.Period)
	require.Equal(t, period.Period{Start: created, End: created.AddDate(1, 0, 0)}, first.Lines[0].Period)
	require.Equal(t, first.Period, first.Lines[1].Period)
	require.Equal(t, 13, l.sub().RenewedIndex, "the second year began with period 13")
	require.Equal(t, 14, l.sub().PeriodIndex)
}

// The other way round: a plan of a month with support for a year.
func TestMixed_LongerAddOn(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, team, support)
	require.Zero(t, l.sub().PlanInterval)
	l.months(12)
	require.EqualValues(t, 37_000, l.totals()[0])
	require.EqualValues(t, 1_000, l.totals()[11])
	require.EqualValues(t, 37_000, l.totals()[12])
}

// Half a year is left: adding seats makes the periods months, and bills the rest of the current one only. Without seats
// they become years again with the next year.
func TestMixed_AddAndRemoveShorter(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual)
	l.until(time.Date(2026, 7, 15, 9, 0, 0, 0, time.UTC))
	had := l.sub()
	l.must(lifecycle.ChangePlan{AddOns: choose(seats)})
	s := l.sub()
	require.Equal(t, had.AnchorAt, s.AnchorAt)
	require.Equal(t, had.PeriodIndex, s.PeriodIndex)
	require.True(t, s.CurrentPeriod.Contains(l.now) && s.CurrentPeriod.Seconds() <= 31*86400)
	require.Equal(t, rest(1_000, s.CurrentPeriod, l.now), l.totals()[1], "a part of a month")
	l.payAll()
	l.months(2)
	require.Len(t, l.totals(), 4)
	l.must(lifecycle.ChangePlan{AddOns: choose(), AtPeriodEnd: true})
	l.months(12)
	s = l.sub()
	require.Equal(t, year, s.Interval)
	require.Zero(t, s.PlanInterval)
	require.Equal(t, period.Period{Start: created.AddDate(1, 0, 0), End: created.AddDate(2, 0, 0)}, s.CurrentPeriod)
	require.EqualValues(t, 120_000, l.totals()[len(l.totals())-1])
}

// The line of a yearly plan is on an invoice of months ago: it is credited by the rest of its own period.
func TestMixed_ChangePlanInTheMiddle(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(5)
	at := l.now.AddDate(0, 0, 10)
	l.until(at)
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	require.Equal(t, rest(240_000, firstYear, at)-rest(120_000, firstYear, at), l.totals()[6])
	l.payAll()
	require.Equal(t, firstYear.End, l.sub().PaidThrough)
	l.months(12)
	require.EqualValues(t, 241_000, l.totals()[13], "the year renews when it would have")
}

// Ends with its plan, not with the month; and gives support that is paid beyond that back.
func TestMixed_CancelAtPeriodEnd(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(2)
	l.must(lifecycle.Cancel{})
	l.months(9)
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, subscription.ActionCancel, l.sub().NextAction)
	require.Equal(t, created.AddDate(1, 0, 0), l.sub().NextActionAt)
	require.Len(t, l.totals(), 12, "seats are billed until then")
	l.months(1)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Len(t, l.totals(), 12)

	l = mixedLife(t, team, support)
	l.months(2)
	l.must(lifecycle.Cancel{})
	l.months(1)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, rest(36_000, firstYear, ofMonths.Boundary(3)), l.store.balance)
}

// At once with a refund: the rest of each own period goes back, and what was used is kept.
func TestMixed_CancelWithRefund(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(5)
	at := l.now.AddDate(0, 0, 10)
	l.until(at)
	l.must(lifecycle.Cancel{Immediate: true, RefundUnused: true})
	require.Equal(t, rest(120_000, firstYear, at)+rest(1_000, l.sub().CurrentPeriod, at), l.refunded())
	require.Zero(t, l.store.balance)
}

// Seats are not paid: the plan, whose year is paid, still gives access to what it has.
func TestMixed_UnpaidSeats(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(2)
	l.until(l.sub().CurrentPeriod.End)
	for l.sub().Status == subscription.Active {
		if l.live("") != nil {
			l.result(answer.Declined)
			continue
		}
		_, at := l.next()
		l.until(at)
	}
	require.Equal(t, subscription.PastDue, l.sub().Status)
	require.NotNil(t, l.sub().PaidFor)
	require.Equal(t, annual.Ref(), l.sub().PaidFor.Plan)
	require.Empty(t, l.sub().PaidFor.AddOns)
	require.Equal(t, created.AddDate(1, 0, 0), l.sub().PaidThrough)
	l.must(lifecycle.ChangePlan{Plan: &annual2})
	require.Equal(t, annual.Ref(), l.sub().PaidFor.Plan, "the upgrade is not paid either")
	l.payAll()
	require.Equal(t, subscription.Active, l.sub().Status)
	require.Nil(t, l.sub().PaidFor)
}

// Own periods of seven months and of a year begin together once in seven years. Decisions still read the invoices of a
// year at most.
func TestMixed_ReadsTheInvoicesOfTheLongestPeriod(t *testing.T) {
	t.Parallel()
	seven := addOnOf("plan_seven", period.Interval{Unit: period.Month, Count: 7}, 7_000)
	l := newLifeOf(t, []plan.Plan{annual, seats, seven}, settings, annual,
		subscribing.NewInput{AddOns: *choose(seats, seven)})
	l.mixed = true
	l.until(created)
	l.payAll()
	for range 40 {
		l.months(1)
		require.Less(t, l.sub().PeriodIndex-l.sub().RenewedIndex, 12)
	}
	l.must(lifecycle.Cancel{Immediate: true, RefundUnused: true})
	years := period.Period{Start: created.AddDate(3, 0, 0), End: created.AddDate(4, 0, 0)}
	sevenths := period.Period{Start: ofMonths.Boundary(35), End: ofMonths.Boundary(42)}
	require.Equal(t, rest(120_000, years, l.now)+rest(7_000, sevenths, l.now)+rest(1_000, l.sub().CurrentPeriod, l.now),
		l.refunded())
}
