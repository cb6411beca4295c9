package moving

import (
	"cmp"
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// noticeDays is the number of days before the end of a trial at which it is announced, as for a subscription that is
// created here.
const noticeDays = 3

// trial reads the calendar of a subscription in its trial: the first paid period begins, and is billed, when it ends.
func (r Subscription) trial(s *subscription.Subscription, location *time.Location, now time.Time) error {
	end := r.TrialEndsAt.Time
	start := cmp.Or(r.CurrentPeriodStart.Time, r.CreatedAt.Time, now)
	switch {
	case end.IsZero():
		return missing("trialEndsAt", "a subscription in its trial")
	case !end.After(now):
		return over("trialEndsAt", end)
	case !start.Before(end) || start.After(now):
		return notBegun(start)
	case !r.CurrentPeriodEnd.Time.IsZero() && !r.CurrentPeriodEnd.Equal(end):
		return fault.InvalidParam("currentPeriodEnd", "import_period_mismatch",
			"The current period of a subscription in its trial ends with the trial, at %s. Send that time, or omit the field.",
			shown(end))
	case !r.Anchor.Time.IsZero() && !r.Anchor.Equal(end):
		return fault.InvalidParam("anchor", "import_anchor_mismatch",
			"Periods are counted from the end of the trial, %s. Send that time, or omit `anchor`.", shown(end))
	}
	s.AnchorAt, s.CurrentPeriod = end, period.Period{Start: start, End: end}
	s.TrialNoticeAt = period.AddDays(end, location, -noticeDays)
	return nil
}

// running reads the calendar of a subscription in a paid period, which must be a period from the anchor.
func (r Subscription) running(s *subscription.Subscription, location *time.Location, now time.Time) error {
	if s.Status != subscription.Active {
		return unsupported(s.Status)
	}
	given := period.Period{Start: r.CurrentPeriodStart.Time, End: r.CurrentPeriodEnd.Time}
	switch {
	case given.Start.IsZero():
		return missing("currentPeriodStart", "an active subscription")
	case given.End.IsZero():
		return missing("currentPeriodEnd", "an active subscription")
	}
	anchor := cmp.Or(r.Anchor.Time, given.Start)
	schedule := period.Schedule{Anchor: anchor, Location: location, Interval: s.Interval}
	index := schedule.IndexAt(given.Start)
	is := schedule.Period(index)
	if index == -1 && given.End.Equal(anchor) { // the first one, which is short
		is.Start = given.Start
	} else if index < 0 {
		return fault.InvalidParam("anchor", "import_anchor_mismatch",
			"`anchor` is after the start of the current period, %s. Send the boundary that the system you move from counts "+
				"from, or an earlier one with the same day and time.", shown(given.Start))
	}
	for _, of := range []struct {
		field     string
		given, is time.Time
	}{{"currentPeriodStart", given.Start, is.Start}, {"currentPeriodEnd", given.End, is.End}} {
		if !of.given.Equal(of.is) {
			return fault.InvalidParam(of.field, "import_period_mismatch",
				"Counted by %s from the anchor %s in the time zone %s, the period is %s. Send that period, or the `anchor` "+
					"that makes the one you have.", s.Interval, shown(anchor), s.TimeZone, is)
		}
	}
	paid := is.End
	if s.PlanInterval != (period.Interval{}) { // the plan is paid for a longer period of its own
		paid = schedule.Every(s.PlanInterval).Around(is.Start).End
	}
	switch {
	case given.Start.After(now):
		return notBegun(given.Start)
	case !given.End.After(now):
		return over("currentPeriodEnd", given.End)
	case r.PaidThrough.After(paid):
		return fault.InvalidParam("paidThrough", "import_paid_beyond_period",
			"`paidThrough` is after the end of the current period, and the next one is billed. Send at most %s, and what was "+
				"paid beyond it as a balance.", shown(paid))
	case r.TrialEndsAt.After(now):
		return fault.InvalidParam("trialEndsAt", "import_time_invalid",
			"The trial of an active subscription is over. Send the status `trialing`, or omit `trialEndsAt`.")
	}
	s.AnchorAt, s.CurrentPeriod, s.NextPeriod = anchor, is, index+1
	s.PeriodIndex, s.RenewedIndex, s.RenewedFrom = 1, 1, is.Start
	s.ActivatedAt, s.PaidThrough = is.Start, cmp.Or(r.PaidThrough.Time, paid)
	return nil
}

func unsupported(status subscription.Status) error {
	if status == subscription.PastDue {
		return fault.InvalidParam("status", "import_status_unsupported",
			"A past-due subscription is not imported, because its invoice is in the system that you move from. Collect it there, "+
				"or import the subscription as `active` and what it owes as a balance below zero.")
	}
	return fault.InvalidParam("status", "import_status_unsupported",
		"`status` cannot be %.40q. Send `trialing`, `active` or `paused`.", string(status))
}

func missing(field, of string) error {
	return fault.InvalidParam(field, "import_time_missing",
		"`%s` is missing. The record of %s needs it: Unix seconds, or a time such as 2026-11-30T09:00:00Z.", field, of)
}

func over(field string, end time.Time) error {
	return fault.InvalidParam(field, "import_period_over",
		"The period ended at %s, so that the system you move from may have billed the next one. Export the subscription "+
			"from there again, and stop its billing there first.", shown(end))
}

func notBegun(start time.Time) error {
	return fault.InvalidParam("currentPeriodStart", "import_period_not_begun",
		"The current period must have begun and must begin before it ends. The record says %s. Send the period that runs "+
			"now.", shown(start))
}

func shown(t time.Time) string { return t.UTC().Format(time.RFC3339) }
