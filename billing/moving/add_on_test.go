package moving_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/fault"
	"perennial/billing/moving"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/internal/id"
)

func addOn(every plan.Plan) plan.Plan {
	every.ID, every.Name, every.AddOn = id.New(id.Plan, now), "Backup", true
	every.Prices = []plan.Price{plan.Flat("price_2", "", 300)}
	return every
}

func TestBegin_AddOns(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Month, 1))
	backup := addOn(in.Plan)
	backup.Active = false // sold add-ons continue
	in.AddOns, in.PendingAddOns = []subscription.Chosen{{AddOn: backup, Quantity: 2}}, &[]subscription.Chosen{}

	s, err := running().Begin(in)

	require.NoError(t, err)
	require.Equal(t, subscription.AddOns{{Ref: backup.Ref(), Quantity: 2}}, s.AddOns)
	require.Empty(t, s.NextAddOns())
	require.Len(t, s.Items, 2)
	in.Plan.Prices[0].Amount = 0
	s, err = running().Begin(in)
	require.NoError(t, err)
	require.Equal(t, s.PeriodIndex, s.PaidElsewhereIndex, "the add-on costs something")
}

// A plan of a year was paid elsewhere, with seats of a month: the year is not billed again by the months that follow.
func TestBegin_SeveralIntervals(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Year, 1))
	seats := addOn(in.Plan)
	seats.Interval.Unit = period.Month
	in.AddOns = []subscription.Chosen{{AddOn: seats}}

	s, err := running().Begin(in)

	require.NoError(t, err)
	require.Equal(t, [2]period.Interval{seats.Interval, in.Plan.Interval}, [2]period.Interval{s.Interval, s.PlanInterval})
	require.Equal(t, s.PlanEnd(), s.PaidThrough)
	require.True(t, s.PaidThrough.After(s.CurrentPeriod.End))
	facts := costing.Facts{Plan: in.Plan, AddOns: []plan.Plan{seats}, CanPay: true}
	for range 2 {
		d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
		require.NoError(t, err)
		require.Len(t, d.Issue[0].Lines, 1)
		require.Equal(t, seats.ID, d.Issue[0].Lines[0].PlanID)
		s = d.Subscription
	}
	for s.CurrentPeriod.End.Before(s.PlanEnd()) {
		d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
		require.NoError(t, err)
		s = d.Subscription
	}
	d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	require.Len(t, d.Issue[0].Lines, 2, "the next year is billed here")
}

func TestBegin_AddOnsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*moving.Setting)
		code   string
	}{
		"an add-on as the plan": {func(in *moving.Setting) { in.Plan.AddOn = true }, "plan_is_add_on"},
		"an add-on to come":     {func(in *moving.Setting) { next := addOn(in.Plan); in.Pending = &next }, "plan_is_add_on"},
		"a plan as an add-on":   {func(in *moving.Setting) { in.AddOns[0].AddOn.AddOn = false }, "plan_not_add_on"},
		"another interval": {
			func(in *moving.Setting) { in.AddOns[0].AddOn.Interval.Unit = period.Week }, "add_on_interval_mismatch",
		},
		"left behind": {func(in *moving.Setting) {
			next := every(period.Week, 1)
			in.Pending = &next
		}, "add_ons_other_interval"},
	} {
		in := setting(every(period.Month, 1))
		in.AddOns = []subscription.Chosen{{AddOn: addOn(in.Plan)}}
		c.change(&in)
		_, err := running().Begin(in)
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
}

// The year was paid in the other system, also after the first month that is billed here: nothing gives it back.
func TestBegin_YearPaidElsewhereIsNotCreditedByAPause(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Year, 1))
	seats := addOn(in.Plan)
	seats.Interval.Unit = period.Month
	in.AddOns = []subscription.Chosen{{AddOn: seats}}
	s, err := running().Begin(in)
	require.NoError(t, err)
	facts := costing.Facts{
		Plan: in.Plan, AddOns: []plan.Plan{seats}, CanPay: true, ItemID: func(priceID string) string { return "si_" + priceID },
	}
	d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)

	_, err = subscribing.With(d.Subscription, facts).Pause(
		subscribing.Pausing{CreditUnused: true}, d.Subscription.CurrentPeriod.Start.AddDate(0, 0, 10))

	require.ErrorIs(t, err, costing.ErrLongPaidElsewhere)
}
