package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// Seats that end with the month end with it, also where another version of the yearly plan waits for the end of the year.
func TestMixed_RemovalBesideAChangeThatWaitsForTheYear(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.newVersion(annual, []plan.Price{plan.Flat("dearer", "", 130_000)})
	l.months(1)
	l.must(lifecycle.ChangePlan{AddOns: choose(), AtPeriodEnd: true})
	to := l.newest(annual.ID)
	l.must(lifecycle.Migrate{To: &to, AtPeriodEnd: true})

	l.months(12)

	require.Equal(t, []money.Minor{121_000, 1_000, 130_000}, l.totals())
	require.Empty(t, l.sub().AddOns)
	require.Equal(t, 2, l.sub().PlanVersion)
}

// The same where the version waits first.
func TestMixed_RemovalAfterAChangeThatWaitsForTheYear(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, annual, seats)
	l.months(1)
	l.must(lifecycle.ChangePlan{Plan: &annual2, AtPeriodEnd: true})
	l.months(1)
	l.must(lifecycle.ChangePlan{AddOns: choose(), AtPeriodEnd: true})

	l.months(11)

	require.Equal(t, []money.Minor{121_000, 1_000, 1_000, 240_000}, l.totals())
	require.Equal(t, annual2.ID, l.sub().PlanID)
}

// A reminder of a renewal on a plan of another interval names the whole period.
func TestRenewsFor_AnotherIntervalAtTheEndOfThePeriod(t *testing.T) {
	t.Parallel()
	for _, addOns := range [][]plan.Plan{nil, {seats}} {
		l := mixedLife(t, team, addOns...)
		l.months(5)
		l.must(lifecycle.ChangePlan{Plan: &annual, AtPeriodEnd: true})
		s := subscribing.With(l.sub(), l.facts())

		amount, err := s.RenewsFor(s.NextTarget().Plan)

		require.NoError(t, err)
		l.months(1)
		require.Equal(t, l.last().Total, amount)
		require.Equal(t, money.Minor(120_000+1_000*len(addOns)), amount)
	}
}

// An add-on whose own period does not end with that of the plan would be cut by another interval.
func TestMixed_RefusesAnotherIntervalThatCutsAnAddOn(t *testing.T) {
	t.Parallel()
	eight := addOnOf("plan_eight", month, 80_000)
	eight.Interval.Count = 8
	l := newLifeOf(t, []plan.Plan{annual, annual2, team, seats, eight}, settings, annual,
		subscribing.NewInput{AddOns: *choose(seats, eight)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.pass(time.Hour)

	_, err := l.apply(lifecycle.ChangePlan{Plan: &team, AtPeriodEnd: true})

	require.ErrorIs(t, err, subscribing.ErrLongAddOn)
	require.Equal(t, subscription.Active, l.sub().Status)
}

// A longer add-on that is removed at the end of the period is not billed for another own period.
func TestMixed_LongerAddOnEndsWithItsPeriod(t *testing.T) {
	t.Parallel()
	l := mixedLife(t, team, support)
	l.months(2)
	l.must(lifecycle.ChangePlan{AddOns: choose(), AtPeriodEnd: true})
	l.months(9)
	require.Len(t, l.sub().AddOns, 1, "its year is paid")
	l.months(1)
	require.Empty(t, l.sub().AddOns)
	require.EqualValues(t, 1_000, l.last().Total)
}

// Another quantity of a longer add-on at the end of the period waits for the end of its own period, and is one item.
func TestMixed_QuantityOfALongerAddOnWaits(t *testing.T) {
	t.Parallel()
	sms := perUnit("plan_sms", quarterly(1), 3_000)
	l := newLifeOf(t, []plan.Plan{team, sms}, settings, team, subscribing.NewInput{AddOns: *choose(sms)})
	l.mixed = true
	l.until(created)
	l.payAll()
	l.must(lifecycle.ChangePlan{AddOns: &[]subscription.Chosen{{AddOn: sms, Quantity: 2}}, AtPeriodEnd: true})
	for _, want := range []int64{1, 1, 2, 2} {
		l.months(1)
		require.Equal(t, subscription.AddOns{{Ref: sms.Ref(), Quantity: want}}, l.sub().AddOns)
	}
	require.Equal(t, []money.Minor{4_000, 1_000, 1_000, 7_000, 1_000}, l.totals())
}
