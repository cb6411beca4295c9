package moving_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/moving"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
	"perennial/internal/id"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func date(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 9, 0, 0, 0, time.UTC)
}

func every(unit period.Unit, count int) plan.Plan {
	return plan.Plan{
		ID: id.New(id.Plan, now), Version: 1, Name: "Pro", Currency: "EUR",
		Interval: period.Interval{Unit: unit, Count: count},
		Prices:   []plan.Price{plan.Flat("price_1", "", 1900)}, Active: true,
	}
}

func setting(p plan.Plan) moving.Setting {
	return moving.Setting{
		ID: id.New(id.Subscription, now), CustomerID: "cust_1", Plan: p,
		Settings: subscription.Settings{TimeZone: "UTC", ProrationMeasure: proration.Day}, Now: now,
		ItemID: func(_ subscription.Subscription, priceID string) string { return "si_" + priceID },
	}
}

// running is a record in the middle of its period.
func running() moving.Subscription {
	return moving.Subscription{
		ID: "s-1", Customer: "c-1", Plan: "Pro", Status: subscription.Active,
		Anchor: moving.At(time.Date(2025, 1, 31, 9, 0, 0, 0, time.UTC)), CurrentPeriodStart: moving.At(date(10, 31)),
		CurrentPeriodEnd: moving.At(date(11, 30)),
	}
}

// paused returns a record of a subscription that has been paused.
func paused() moving.Subscription {
	return moving.Subscription{
		ID: "s-1", Customer: "c-1", Plan: "Pro", Status: subscription.Paused, PausedAt: moving.At(date(11, 10)),
		ResumesAt: moving.At(date(12, 24)),
	}
}

func TestBegin_Paused(t *testing.T) {
	t.Parallel()
	r := paused()

	s, err := r.Begin(setting(every(period.Month, 1)))

	require.NoError(t, err)
	require.Equal(t, subscription.ActionResume, s.NextAction)
	require.Equal(t, date(12, 24), s.NextActionAt)
	require.Equal(t, r.PausedAt.Time, s.PaidThrough)
	require.Equal(t, subscription.PauseRequested, s.PauseReason)

	r.ResumesAt, r.PauseReason = moving.Time{}, subscription.PauseNoMethod
	s, err = r.Begin(setting(every(period.Month, 1)))

	require.NoError(t, err)
	require.Equal(t, subscription.ActionNone, s.NextAction)
	require.True(t, s.AwaitsMethod())
	require.Zero(t, s.NextPeriod, "the first period is still to come")
}

func TestBegin_ContinuesTheCalendarOfTheAnchor(t *testing.T) {
	t.Parallel()
	s, err := running().Begin(setting(every(period.Month, 1)))

	require.NoError(t, err)
	require.Equal(t, date(11, 30), s.NextActionAt)
	require.Equal(t, subscription.ActionRenewal, s.NextAction)
	require.Equal(t, date(11, 30), s.PaidThrough, "it was paid elsewhere")
	require.Equal(t, s.PeriodIndex, s.PaidElsewhereIndex, "no change within it is prorated")
	require.Equal(t, 22, s.NextPeriod)
	require.Equal(t, proration.Day, s.ProrationMeasure, "as in a period that is opened here")
	require.Equal(t, []subscription.Item{{ID: "si_price_1", PriceID: "price_1", Quantity: 1, Joined: 1}}, s.Items)
}

// A first period that ends at a later anchor is short.
func TestBegin_ShortFirstPeriod(t *testing.T) {
	t.Parallel()
	r := running()
	r.CurrentPeriodStart, r.Anchor = moving.At(date(11, 10)), moving.At(date(11, 30))

	s, err := r.Begin(setting(every(period.Month, 1)))

	require.NoError(t, err)
	require.Equal(t, period.Period{Start: date(11, 10), End: date(11, 30)}, s.CurrentPeriod)
	require.Equal(t, date(11, 30), s.NextActionAt)
	require.Equal(t, subscription.ActionRenewal, s.NextAction)
}

func TestBegin_Trial(t *testing.T) {
	t.Parallel()
	r := moving.Subscription{ID: "s-1", Status: subscription.Trialing, TrialEndsAt: moving.At(date(12, 1)),
		CurrentPeriodStart: moving.At(date(11, 17))}

	s, err := r.Begin(setting(every(period.Month, 1)))

	require.NoError(t, err)
	require.Equal(t, period.Period{Start: date(11, 17), End: date(12, 1)}, s.CurrentPeriod)
	require.Equal(t, subscription.ActionTrialNotice, s.NextAction)
	require.Equal(t, date(11, 28), s.NextActionAt)
	require.Zero(t, s.PaidThrough)
}

func TestBegin_Refuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*moving.Subscription)
		field, code string
	}{
		"no start": {
			func(r *moving.Subscription) { r.CurrentPeriodStart = moving.Time{} }, "currentPeriodStart", "import_time_missing",
		},
		"no end": {
			func(r *moving.Subscription) { r.CurrentPeriodEnd = moving.Time{} }, "currentPeriodEnd", "import_time_missing",
		},
		"another start": {
			func(r *moving.Subscription) { r.CurrentPeriodStart = moving.At(date(10, 30)) }, "currentPeriodStart",
			"import_period_mismatch",
		},
		"a second short": {
			func(r *moving.Subscription) { r.CurrentPeriodEnd = moving.At(r.CurrentPeriodEnd.Add(-time.Second)) },
			"currentPeriodEnd", "import_period_mismatch",
		},
		"an anchor after it": {
			func(r *moving.Subscription) { r.Anchor = moving.At(date(12, 1)) }, "anchor", "import_anchor_mismatch",
		},
		"a period that ended": {func(r *moving.Subscription) {
			r.CurrentPeriodStart, r.CurrentPeriodEnd = moving.At(date(9, 30)), moving.At(date(10, 31))
		}, "currentPeriodEnd", "import_period_over"},
		"a period to come": {func(r *moving.Subscription) {
			r.CurrentPeriodStart, r.CurrentPeriodEnd = moving.At(date(11, 30)), moving.At(date(12, 31))
		}, "currentPeriodStart", "import_period_not_begun"},
		"paid beyond": {
			func(r *moving.Subscription) { r.PaidThrough = moving.At(date(12, 31)) }, "paidThrough", "import_paid_beyond_period",
		},
		"past due": {
			func(r *moving.Subscription) { r.Status = subscription.PastDue }, "status", "import_status_unsupported",
		},
		"a long reason": {
			func(r *moving.Subscription) { r.CancelReason = strings.Repeat("\u00e9", 501) }, "cancelReason",
			"import_text_too_long",
		},
		"another status": {
			func(r *moving.Subscription) { r.Status = "incomplete" }, "status", "import_status_unsupported",
		},
		"a pause to come": {
			func(r *moving.Subscription) { *r = paused(); r.PausedAt = moving.At(date(12, 1)) }, "pausedAt",
			"import_pause_invalid",
		},
		"a pause that ended": {
			func(r *moving.Subscription) { *r = paused(); r.ResumesAt = moving.At(date(11, 19)) }, "resumesAt",
			"import_pause_invalid",
		},
		"an odd pause": {
			func(r *moving.Subscription) { *r = paused(); r.PauseReason = "holiday" }, "pauseReason", "import_pause_invalid",
		},
		"a pause that ends it": {
			func(r *moving.Subscription) { *r = paused(); r.CancelAtPeriodEnd = true }, "cancelAtPeriodEnd",
			"import_pause_invalid",
		},
		"no pause": {
			func(r *moving.Subscription) { r.ResumesAt = moving.At(date(12, 1)) }, "pausedAt", "import_pause_invalid",
		},
		"paused before it": {
			func(r *moving.Subscription) { *r = paused(); r.CurrentPeriodStart = moving.At(date(11, 19)) }, "currentPeriodStart",
			"import_period_not_begun",
		},
		"a trial to come": {
			func(r *moving.Subscription) { r.TrialEndsAt = moving.At(date(12, 1)) }, "trialEndsAt", "import_time_invalid",
		},
		"an impossible time": {
			func(r *moving.Subscription) { r.Anchor = moving.At(time.Unix(-1, 0)) }, "anchor", "import_time_invalid",
		},
		"an unknown zone": {
			func(r *moving.Subscription) { r.TimeZone = "Mars/Olympus" }, "timeZone", "time_zone_unknown",
		},
		"too many seats":      {func(r *moving.Subscription) { r.Quantity = -1 }, "quantity", "quantity_out_of_range"},
		"days without a wait": {func(r *moving.Subscription) { r.NetDays = 3 }, "netDays", "net_days_without_send"},
		"too many seats later": {
			func(r *moving.Subscription) { r.PendingQuantity = -1 }, "pendingQuantity", "quantity_out_of_range",
		},
		"trial without end": {
			func(r *moving.Subscription) { r.Status = subscription.Trialing }, "trialEndsAt", "import_time_missing",
		},
		"trial that ended": {
			func(r *moving.Subscription) { r.Status, r.TrialEndsAt = subscription.Trialing, moving.At(date(11, 1)) },
			"trialEndsAt", "import_period_over",
		},
		"trial of another end": {
			func(r *moving.Subscription) { r.Status, r.TrialEndsAt = subscription.Trialing, moving.At(date(12, 1)) },
			"currentPeriodEnd", "import_period_mismatch",
		},
		"an odd threshold": {
			func(r *moving.Subscription) { r.UsageThresholds = &subscription.UsageThresholds{{Amount: -1}} },
			"usageThresholds[0].amount", "usage_threshold_invalid",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := running()
			c.change(&r)
			_, err := r.Begin(setting(every(period.Month, 1)))
			require.Error(t, err)
			f := fault.From(err)
			require.Equal(t, [2]string{c.field, c.code}, [2]string{f.Param, f.Code}, f.Detail)
			require.True(t, f.Refusal())
		})
	}
}

// Whatever the anchor and the interval: the period that runs is accepted and bills nothing; the first invoice is the
// next period's, in full, at its start.
func TestBegin_BillsFromTheNextBoundary(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := every(rapid.SampledFrom([]period.Unit{period.Day, period.Week, period.Month, period.Year}).Draw(t, "unit"),
			rapid.IntRange(1, 5).Draw(t, "count"))
		zone := rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Africa/Douala", "America/New_York"}).Draw(t, "zone")
		location, err := period.LoadLocation(zone)
		require.NoError(t, err)
		anchor := now.Add(-time.Duration(rapid.Int64Range(1, 20*365*86400).Draw(t, "ago")) * time.Second)
		grid := period.Schedule{Anchor: anchor, Location: location, Interval: p.Interval}
		runs, next := grid.Period(grid.IndexAt(now)), grid.Period(grid.IndexAt(now)+1)
		r := moving.Subscription{
			ID: "s", Status: subscription.Active, Anchor: moving.At(anchor), CurrentPeriodStart: moving.At(runs.Start),
			CurrentPeriodEnd: moving.At(runs.End),
			TimeZone:         zone,
		}
		in := setting(p)
		in.ItemID = func(s subscription.Subscription, priceID string) string {
			return lifecycle.ItemID(id.Source{}, s, priceID)
		}
		s, err := r.Begin(in)
		require.NoError(t, err)
		state := lifecycle.State{
			Subscription: s, Plan: p, Settings: subscription.DefaultSettings(),
			Customer: customer.Customer{ID: "cust_1"}, Provider: &lifecycle.Provider{},
		}
		at := func(t time.Time) lifecycle.Moment { return lifecycle.Moment{Now: t, Real: t, IDs: id.Source{Now: t}} }

		_, before, err := lifecycle.Advance(state, at(runs.End.Add(-time.Second)))
		require.NoError(t, err)
		require.Empty(t, before.Invoices.Of(lifecycle.InvoiceCreated))
		_, after, err := lifecycle.Advance(state, at(runs.End))
		require.NoError(t, err)

		made := after.Invoices.Of(lifecycle.InvoiceCreated)
		require.Len(t, made, 1)
		require.Equal(t, next, made[0].Period)
		require.EqualValues(t, 1900, made[0].Total)
		require.Equal(t, 2, made[0].PeriodIndex)
	})
}

// A record of any contents is accepted or refused by a sentence about a field.
func TestBegin_AnyRecord(t *testing.T) {
	t.Parallel()
	instant := func(t *rapid.T, name string) time.Time {
		if rapid.Bool().Draw(t, name+" is left out") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, name), 0).UTC()
	}
	rapid.Check(t, func(t *rapid.T) {
		r := moving.Subscription{
			Status: rapid.SampledFrom([]subscription.Status{"active", "trialing", "past_due", "paused", "",
				"x"}).Draw(t, "status"),
			Quantity: rapid.Int64().Draw(t, "quantity"), Anchor: moving.At(instant(t, "anchor")),
			CurrentPeriodStart: moving.At(instant(t, "start")), CurrentPeriodEnd: moving.At(instant(t, "end")),
			TrialEndsAt: moving.At(instant(t, "trial")), PaidThrough: moving.At(instant(t, "paid")),
			CreatedAt: moving.At(instant(t, "created")),
			PausedAt:  moving.At(instant(t, "paused")), ResumesAt: moving.At(instant(t, "resumes")),
		}
		_, err := r.Begin(setting(every(period.Month, 1)))
		if f := fault.From(err); f != nil {
			require.True(t, f.Refusal(), fmt.Sprint(err))
			require.NotEmpty(t, f.Param)
		}
	})
}
