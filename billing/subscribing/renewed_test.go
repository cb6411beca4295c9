package subscribing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
)

// Apps that count renewals must not count sign-ups: the creation already announced the first period. The period after a
// trial has no earlier event.
func TestOpenPeriod_OnlyWhatFollowsIsARenewal(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	monthly := plan.Plan{
		ID: "plan_1", Currency: "USD", Active: true, Interval: period.Interval{Unit: period.Month, Count: 1},
		Prices: []plan.Price{plan.Flat("price_1", "", 1000)},
	}
	facts := costing.Facts{Plan: monthly, ItemID: func(priceID string) string { return "si_" + priceID }}
	renewals := func(d subscribing.Decision) (n int) {
		for _, e := range d.Events {
			if e.Type() == event.TypeSubscriptionRenewed {
				n++
			}
		}
		return n
	}
	none, week := 0, 7
	for _, c := range []struct {
		trial *int
		first int
	}{{&none, 0}, {&week, 1}} {
		sub, _, err := subscribing.Create(monthly,
			subscribing.NewInput{ID: "sub_1", TrialDays: c.trial, TimeZone: "UTC", Now: now})
		require.NoError(t, err)
		opened, err := subscribing.With(sub, facts).OpenPeriod(sub.CurrentPeriod.End)
		require.NoError(t, err)
		require.Equal(t, c.first, renewals(opened))
		next, err := subscribing.With(opened.Subscription, facts).OpenPeriod(opened.Subscription.CurrentPeriod.End)
		require.NoError(t, err)
		require.Equal(t, 1, renewals(next))
	}
}
