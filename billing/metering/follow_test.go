package metering_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/subscription"
	"perennial/billing/usage"
)

// on returns a day of 2026, at midnight.
func on(month time.Month, day int) time.Time {
	return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC)
}

// priced returns a plan with a price per call, in major units; "": without metered prices.
func priced(id, each string) plan.Plan {
	p := plan.Plan{ID: id, Version: 1, Interval: period.Interval{Unit: period.Month, Count: 1}}
	if each != "" {
		amount, err := money.ParseDecimal(each)
		if err != nil {
			panic(err)
		}
		p.Metered = &metered.Prices{Components: []metered.Component{{ID: id + "_calls", MetricName: "calls",
			Rates: []metered.Rate{{Price: rating.Price{Model: rating.PerUnit, UnitPrice: amount}}}}}}
	}
	return p
}

var (
	calls, dearer = priced("calls", "0.01"), priced("dearer", "0.02")
	same, without = priced("same", "0.01"), priced("flat", "")
)

// february returns a subscription in its second period, which is divided by days, with metered prices from its start
// on.
func february(p plan.Plan) subscription.Subscription {
	s := subscription.Subscription{
		ID: "sub_1", Status: subscription.Active, TimeZone: "UTC", AnchorAt: on(1, 1),
		Interval: period.Interval{Unit: period.Month, Count: 1}, PeriodIndex: 2, RenewedIndex: 2, NextPeriod: 2,
		CurrentPeriod: period.Period{Start: on(2, 1), End: on(3, 1)}, ProrationMeasure: proration.Day,
	}
	s.SetPlan(p.Ref())
	if p.Metered != nil {
		s.MeteredSince = on(2, 1)
	}
	return s
}

// change returns a change of a subscription that stays on a plan.
func change(p plan.Plan, after func(s *subscription.Subscription)) metering.Change {
	s := february(p)
	c := metering.Change{Before: s, Was: p, Is: p, At: on(2, 15)}
	after(&s)
	c.After = s
	return c
}

// to makes the change lead to another plan.
func to(p plan.Plan, c metering.Change) metering.Change {
	c.Is = p
	c.After.SetPlan(p.Ref())
	return c
}

func renews(s *subscription.Subscription) { opens(s, on(3, 1), on(4, 1)) }

func opens(s *subscription.Subscription, start, end time.Time) {
	s.PeriodIndex++
	s.CurrentPeriod = period.Period{Start: start, End: end}
}

func cancels(at time.Time) func(s *subscription.Subscription) {
	return func(s *subscription.Subscription) { s.Status, s.CanceledAt = subscription.Canceled, at }
}

// part is a segment without the fields that are equal in all.
type part struct {
	plan       string
	index      int
	start, end time.Time
	from, to   int64 // days of the period
	length     int64
}

// draft is the change that Bill makes to the drafts of a decision; the zero value: none.
type draft struct {
	alone bool // of usage only; otherwise the renewal's
	of    period.Period
	until time.Time
}

var pastDue = func(s *subscription.Subscription) { s.Status = subscription.PastDue }

func both(f, g func(*subscription.Subscription)) func(*subscription.Subscription) {
	return func(s *subscription.Subscription) { f(s); g(s) }
}

func until(t time.Time) time.Time { return t.Add(usage.MaxAge) }

// aDay is a day in seconds, the unit of shares.
const aDay = 24 * 60 * 60

// A renewal's invoice is among the drafts of the decision where renewal is true.
func TestChange_Follow(t *testing.T) {
	t.Parallel()
	whole := part{"calls", 2, on(2, 1), on(3, 1), 0, 28, 28}
	half := part{"calls", 2, on(2, 1), on(2, 15), 0, 14, 28}
	daily := func(s *subscription.Subscription) { opens(s, on(2, 15), on(2, 16)) }
	usageOf := func(start, end time.Time) draft {
		return draft{alone: true, of: period.Period{Start: start, End: end}, until: end}
	}
	for name, c := range map[string]struct {
		change  metering.Change
		renewal bool
		closes  []part
		since   time.Time
		late    time.Time
		bills   draft
	}{
		"a renewal": {
			change: change(calls, renews), renewal: true,
			closes: []part{whole}, since: on(3, 1), late: until(on(3, 1)), bills: draft{until: on(3, 1)},
		},
		"a renewal without an invoice, as in past_due": {
			change: change(calls, both(pastDue, renews)),
			closes: []part{whole}, since: on(3, 1), late: until(on(3, 1)), bills: usageOf(on(2, 1), on(3, 1)),
		},
		"a renewal to a plan without metered prices": {
			change: to(without, change(calls, renews)), renewal: true,
			closes: []part{whole}, late: until(on(3, 1)), bills: draft{until: on(3, 1)},
		},
		"a renewal to a plan with metered prices": {
			change: to(calls, change(without, renews)), renewal: true, since: on(3, 1),
		},
		"a renewal of a plan without them, after late records may come": {
			change: func() metering.Change {
				c := change(without, renews)
				c.Before.LateUsageUntil, c.After.LateUsageUntil = on(3, 15), on(3, 15)
				return c
			}(), renewal: true, late: on(3, 15), bills: draft{until: on(3, 1)},
		},
		"a renewal of a plan without them": {change: change(without, renews), renewal: true},
		"a change of plan": {
			change: to(dearer, change(calls, func(*subscription.Subscription) {})),
			closes: []part{half}, since: on(2, 15), late: until(on(2, 15)),
		},
		"a change of plan to equal prices": {
			change: to(same, change(calls, func(*subscription.Subscription) {})), since: on(2, 1),
		},
		"a change to a plan without metered prices": {
			change: to(without, change(calls, func(*subscription.Subscription) {})),
			closes: []part{half}, late: until(on(2, 15)),
		},
		"a change from a plan without metered prices": {
			change: to(calls, change(without, func(*subscription.Subscription) {})), since: on(2, 15),
		},
		"a change of another thing": {
			change: change(calls, func(s *subscription.Subscription) { s.Quantity = 7 }), since: on(2, 1),
		},
		"a change that is made behind one of a later time": {
			change: func() metering.Change {
				c := to(dearer, change(calls, func(*subscription.Subscription) {}))
				c.Before.MeteredSince, c.After.MeteredSince = on(2, 20), on(2, 20)
				return c
			}(), since: on(2, 20),
		},
		"another interval": {
			change: change(calls, daily), closes: []part{half}, since: on(2, 15), late: until(on(2, 15)),
			bills: usageOf(on(2, 1), on(2, 15)),
		},
		"another interval, that waited four days for its payment": {
			change: func() metering.Change {
				c := to(dearer, change(calls, func(s *subscription.Subscription) { opens(s, on(2, 11), on(2, 28)) }))
				c.Before.PendingChange = &subscription.PendingChange{
					ScheduledChange: subscription.ScheduledChange{At: on(2, 11)},
				}
				return c
			}(),
			closes: []part{half}, since: on(2, 15), late: until(on(2, 15)), bills: usageOf(on(2, 1), on(2, 15)),
		},
		"another anchor": {
			change: change(calls, func(s *subscription.Subscription) {
				s.AnchorAt = on(2, 15)
				opens(s, on(2, 15), on(3, 15))
			}),
			closes: []part{half}, since: on(2, 15), late: until(on(2, 15)), bills: usageOf(on(2, 1), on(2, 15)),
		},
		"a pause": {
			change: change(calls, func(s *subscription.Subscription) { s.Status, s.PausedAt = subscription.Paused, on(2, 15) }),
			closes: []part{half}, late: until(on(2, 15)), bills: usageOf(on(2, 1), on(2, 15)),
		},
		"the end of a pause": {
			change: func() metering.Change {
				c := change(calls, func(s *subscription.Subscription) { opens(s, on(5, 20), on(6, 20)) })
				c.Before.Status, c.Before.PausedAt, c.Before.MeteredSince = subscription.Paused, on(2, 15), time.Time{}
				c.Before.LateUsageUntil = until(on(2, 15))
				c.After.MeteredSince, c.After.LateUsageUntil = time.Time{}, c.Before.LateUsageUntil
				return c
			}(),
			since: on(5, 20), late: until(on(2, 15)), bills: usageOf(on(2, 1), on(5, 20)),
		},
		"a cancellation in a pause": {
			change: func() metering.Change {
				c := change(calls, cancels(on(2, 20)))
				c.Before.Status, c.Before.PausedAt, c.Before.MeteredSince = subscription.Paused, on(2, 15), time.Time{}
				c.Before.LateUsageUntil = until(on(2, 15))
				c.After.MeteredSince, c.After.LateUsageUntil = time.Time{}, c.Before.LateUsageUntil
				return c
			}(),
			late: until(on(2, 15)), bills: usageOf(on(2, 1), on(2, 20)),
		},
		"the end of a trial": {
			change: func() metering.Change {
				c := change(calls, func(s *subscription.Subscription) { s.Status = subscription.Active })
				c.Before.Status, c.Before.PeriodIndex, c.Before.MeteredSince = subscription.Trialing, 0, time.Time{}
				c.After.MeteredSince, c.After.PeriodIndex = time.Time{}, 1
				return c
			}(), renewal: true, since: on(2, 1),
		},
		"a trial": {
			change: func() metering.Change {
				c := to(dearer, change(calls, func(*subscription.Subscription) {}))
				c.Before.Status, c.Before.PeriodIndex, c.Before.MeteredSince = subscription.Trialing, 0, time.Time{}
				c.After = c.Before
				return to(dearer, c)
			}(),
		},
		"a cancellation now": {
			change: change(calls, cancels(on(2, 15).Add(time.Nanosecond))),
			closes: []part{{"calls", 2, on(2, 1), on(2, 15).Add(time.Nanosecond), 0, 14, 28}},
			late:   until(on(2, 15).Add(time.Nanosecond)), bills: usageOf(on(2, 1), on(2, 15).Add(time.Nanosecond)),
		},
		"a cancellation with the period": {
			change: change(calls, cancels(on(3, 1))),
			closes: []part{whole}, late: until(on(3, 1)), bills: usageOf(on(2, 1), on(3, 1)),
		},
		"a cancellation with the period that is made late counts to its instant": {
			change: change(calls, cancels(on(3, 4))),
			closes: []part{{"calls", 2, on(2, 1), on(3, 4), 0, 28, 28}}, late: until(on(3, 4)),
			bills: usageOf(on(2, 1), on(3, 4)),
		},
		"a cancellation at the instant of a renewal": {
			change: func() metering.Change {
				c := change(calls, cancels(on(2, 1)))
				c.Before.LateUsageUntil, c.After.LateUsageUntil = until(on(2, 1)), until(on(2, 1))
				return c
			}(),
			closes: []part{{"calls", 2, on(2, 1), on(2, 1).Add(time.Microsecond), 0, 0, 28}},
			late:   until(on(2, 1).Add(time.Microsecond)), bills: usageOf(on(2, 1), on(2, 1).Add(time.Microsecond)),
		},
		"a cancellation of a plan without metered prices": {change: change(without, cancels(on(2, 15)))},
		"a payment in past_due": {
			change: func() metering.Change {
				c := change(calls, func(*subscription.Subscription) {})
				c.Before.Status = subscription.PastDue
				return c
			}(), since: on(2, 1),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, closed, err := c.change.Follow()
			require.NoError(t, err)
			var parts []part
			for _, one := range closed {
				parts = append(parts, part{
					one.Plan.ID, one.PeriodIndex, one.Start, one.End, one.Share.From / aDay, one.Share.To / aDay,
					one.Share.Length / aDay,
				})
				require.Equal(t, 28*24*time.Hour, one.PeriodLength, "averages are over the whole period")
			}
			require.Equal(t, c.closes, parts)
			require.Equal(t, [2]time.Time{c.since, c.late}, [2]time.Time{s.MeteredSince, s.LateUsageUntil})
			require.Equal(t, c.bills, bills(c.change, s, c.renewal))
		})
	}
}

// bills returns the draft that bills usage of a decision, in which one draft is the renewal's.
func bills(c metering.Change, s subscription.Subscription, renewal bool) (out draft) {
	issue := []invoice.Draft{{Reason: invoice.Update}}
	if renewal {
		first := c.Before.PeriodIndex == 0
		issue = []invoice.Draft{{Reason: invoice.Cycle, Waits: !first}}
	}
	for _, d := range c.Bill(s, issue) {
		if d.Reason == invoice.Usage {
			out.alone, out.of = true, d.Period
		}
		if !d.UsageUntil.IsZero() {
			out.until = d.UsageUntil
		}
	}
	return out
}

// A subscription that began before its creation has a short first period, a week of January, and all of February after
// it: each is a segment with its coupons, and the first invoice bills no usage.
func TestChange_Backdated(t *testing.T) {
	t.Parallel()
	half, err := money.ParseDecimal("50")
	require.NoError(t, err)
	c := change(calls, func(s *subscription.Subscription) { opens(s, on(3, 1), on(4, 1)) })
	c.Before.PeriodIndex, c.Before.MeteredSince = 0, time.Time{}
	c.Before.CurrentPeriod = period.Period{Start: on(1, 25), End: on(2, 1)}
	c.Before.Discounts = subscription.Discounts{{
		CouponID: "coup_1", Terms: discount.Terms{Discount: discount.Discount{Percent: half}},
	}}
	c.After.MeteredSince, c.After.PeriodIndex = time.Time{}, 3
	january, february := period.Period{Start: on(1, 1), End: on(2, 1)}, period.Period{Start: on(2, 1), End: on(3, 1)}
	c.Passed = []metering.Opened{
		{PeriodIndex: 1, Period: period.Period{Start: on(1, 25), End: on(2, 1)}, Whole: january},
		{PeriodIndex: 2, Period: february, Whole: february},
	}

	s, closed, err := c.Follow()

	require.NoError(t, err)
	require.Len(t, closed, 2)
	share := closed[0].Share
	require.Equal(t, [3]int64{24, 31, 31}, [3]int64{share.From / aDay, share.To / aDay, share.Length / aDay})
	require.Equal(t, 31*24*time.Hour, closed[0].PeriodLength)
	require.True(t, closed[1].Share.Whole())
	require.Equal(t, [2]int{1, 2}, [2]int{closed[0].PeriodIndex, closed[1].PeriodIndex})
	require.Equal(t, c.Before.Discounts, closed[0].Discounts)
	require.Equal(t, [2]time.Time{on(3, 1), until(on(3, 1))}, [2]time.Time{s.MeteredSince, s.LateUsageUntil})
	require.Equal(t, draft{}, bills(c, s, true), "the first renewal bills it")
}

// For any division of a period by any measure, the shares of its segments sum to it, and so do the parts of an amount
// for the period.
func TestChange_SharesSumToThePeriod(t *testing.T) {
	t.Parallel()
	for _, measure := range []proration.Measure{"", proration.Day, proration.DayInclusive, proration.Fixed30} {
		s, on1, on2 := february(calls), calls, dearer
		s.ProrationMeasure = measure
		var sum money.Minor
		var covered, length int64
		add := func(c metering.Change) {
			next, closed, err := c.Follow()
			require.NoError(t, err)
			for _, one := range closed {
				require.Equal(t, covered, one.Share.From, measure)
				covered, length = one.Share.To, one.Share.Length
				sum += one.Share.Of(1000)
			}
			s = next
		}
		for day := 3; day < 27; day += 5 {
			after := s
			after.SetPlan(on2.Ref())
			at := on(2, day).Add(time.Duration(day) * 61 * time.Minute)
			add(metering.Change{Before: s, After: after, Was: on1, Is: on2, At: at})
			require.Equal(t, at, s.MeteredSince)
			on1, on2 = on2, on1
		}
		after := s
		renews(&after)
		add(metering.Change{Before: s, After: after, Was: on1, Is: on1})
		require.Equal(t, [2]any{length, money.Minor(1000)}, [2]any{covered, sum}, measure)
	}
}

// Billing ends the time of late records once none may come any more: 90 days after the last segment or, for an ended
// subscription, once the draft of its end is billed.
func TestBilled(t *testing.T) {
	t.Parallel()
	running := february(without)
	running.LateUsageUntil = on(3, 15)
	require.Equal(t, running, metering.Billed(running, on(3, 15).Add(-1)))
	require.Zero(t, metering.Billed(running, on(3, 15)).LateUsageUntil)

	ended := running
	cancels(on(2, 20))(&ended)
	require.Equal(t, ended, metering.Billed(ended, on(2, 1)), "the draft of an earlier renewal")
	closed := metering.Billed(ended, on(2, 20))
	require.Equal(t, on(2, 20), closed.LateUsageUntil, "a record is refused from then on")
	require.Equal(t, closed, metering.Billed(closed, on(2, 20)), "repeated")
	require.Equal(t, closed, metering.Billed(closed, on(2, 1)), "an earlier draft that is issued later")
}
