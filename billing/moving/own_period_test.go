package moving_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/costing"
	"perennial/billing/invoice"
	"perennial/billing/moving"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// billed returns the line of a plan in what a decision issues; ok is false where there is none.
func billed(d subscribing.Decision, of plan.Plan) (start time.Time, ok bool) {
	for _, i := range d.Issue {
		for _, l := range i.Lines {
			if l.PlanID == of.ID {
				return l.Period.Start, true
			}
		}
	}
	return time.Time{}, false
}

// An add-on that joins after the import was not paid elsewhere, though its year began there.
func TestBegin_LongerAddOnJoins(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Year, 1))
	seats, support := addOn(in.Plan), addOn(in.Plan)
	seats.Interval.Unit = period.Month
	support.Prices = []plan.Price{plan.Flat("price_3", "", 36500)}
	in.AddOns = []subscription.Chosen{{AddOn: seats}}
	s, err := running().Begin(in)
	require.NoError(t, err)
	facts := costing.Facts{Plan: in.Plan, AddOns: []plan.Plan{seats, support}, CanPay: true,
		ItemID: func(priceID string) string { return "si_" + priceID }}
	both := subscribing.Change{AddOns: &[]subscription.Chosen{{AddOn: seats}, {AddOn: support}}, AtPeriodEnd: true}
	d, err := subscribing.With(s, facts).ChangePlan(both, s.CurrentPeriod.Start.AddDate(0, 0, 21))
	require.NoError(t, err)
	joins := d.Subscription.CurrentPeriod.End
	renews, err := subscribing.With(d.Subscription, facts).RenewsFor(in.Plan)
	require.NoError(t, err)

	d, err = subscribing.With(d.Subscription, facts).OpenPeriod(joins)

	require.NoError(t, err)
	from, ok := billed(d, support)
	require.True(t, ok)
	require.Equal(t, joins, from, "the rest of its year")
	_, ok = billed(d, in.Plan)
	require.False(t, ok, "the plan's year was paid elsewhere")
	sums, err := d.Issue[0].Sums()
	require.NoError(t, err)
	require.Equal(t, sums.Total, renews, "what the reminder announces")
}

// Nor where it joins in past due, and its first months are skipped: it costs its rest from the recovery on.
func TestBegin_LongerAddOnJoinsInPastDue(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Year, 1))
	seats, support := addOn(in.Plan), addOn(in.Plan)
	seats.Interval.Unit = period.Month
	support.Prices = []plan.Price{plan.Flat("price_3", "", 36500)}
	in.AddOns = []subscription.Chosen{{AddOn: seats}}
	s, err := running().Begin(in)
	require.NoError(t, err)
	facts := costing.Facts{Plan: in.Plan, AddOns: []plan.Plan{seats, support}, CanPay: true,
		ItemID: func(priceID string) string { return "si_" + priceID }}
	d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	unpaid := invoice.Invoice{ID: "in_1", Status: invoice.Open, PeriodIndex: 2, Lines: d.Issue[0].Lines}
	unpaid.Collection.Phase = collection.Exhausted
	facts.Open, d.Subscription.Status = []invoice.Invoice{unpaid}, subscription.PastDue
	both := subscribing.Change{AddOns: &[]subscription.Chosen{{AddOn: seats}, {AddOn: support}}, AtPeriodEnd: true}
	d, err = subscribing.With(d.Subscription, facts).ChangePlan(both, d.Subscription.CurrentPeriod.Start.AddDate(0, 0, 7))
	require.NoError(t, err)
	d, err = subscribing.With(d.Subscription, facts).OpenPeriod(d.Subscription.CurrentPeriod.End)
	require.NoError(t, err)
	require.Empty(t, d.Issue)
	unpaid.Status = invoice.Paid
	facts.Open, facts.Paid = nil, []invoice.Invoice{unpaid}

	d, err = subscribing.With(d.Subscription, facts).Settled(unpaid, d.Subscription.CurrentPeriod.Start.AddDate(0, 0, 3))

	require.NoError(t, err)
	from, ok := billed(d, support)
	require.True(t, ok)
	require.Equal(t, d.Subscription.CurrentPeriod.Start, from)
	_, ok = billed(d, in.Plan)
	require.False(t, ok, "the plan's year was paid elsewhere")
}

// Of three intervals, only the quarter that began in the other system was paid there.
func TestBegin_ShorterThanThePlan(t *testing.T) {
	t.Parallel()
	in := setting(every(period.Year, 1))
	seats, sms := addOn(in.Plan), addOn(in.Plan)
	seats.Interval.Unit = period.Month
	sms.Interval = period.Interval{Unit: period.Month, Count: 3}
	sms.Prices = []plan.Price{plan.Flat("price_4", "", 9000)}
	in.AddOns = []subscription.Chosen{{AddOn: seats}, {AddOn: sms}}
	r := running()
	r.Anchor = moving.At(time.Date(2025, 3, 31, 9, 0, 0, 0, time.UTC))
	s, err := r.Begin(in)
	require.NoError(t, err)
	facts := costing.Facts{Plan: in.Plan, AddOns: []plan.Plan{seats, sms}, CanPay: true}
	var quarters []time.Time
	for s.CurrentPeriod.End.Before(s.PlanEnd()) {
		d, err := subscribing.With(s, facts).OpenPeriod(s.CurrentPeriod.End)
		require.NoError(t, err)
		if start, ok := billed(d, sms); ok {
			quarters = append(quarters, start)
		}
		for _, i := range d.Issue {
			facts.Paid = append(facts.Paid, invoice.Invoice{Status: invoice.Paid, PeriodIndex: i.PeriodIndex, Lines: i.Lines})
		}
		_, ok := billed(d, in.Plan)
		require.False(t, ok)
		s = d.Subscription
	}
	require.Equal(t, []time.Time{time.Date(2026, 12, 31, 9, 0, 0, 0, time.UTC)}, quarters)
}
