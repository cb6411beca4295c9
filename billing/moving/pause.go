package moving

import (
	"cmp"
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// paused reads the calendar of a paused subscription. It has no current period: the one in which it was paused is kept
// only for display, and the next one begins when it resumes.
func (r Subscription) paused(s *subscription.Subscription, location *time.Location, now time.Time) error {
	at, why := cmp.Or(r.PausedAt.Time, now), cmp.Or(r.PauseReason, subscription.PauseRequested)
	start := cmp.Or(r.CurrentPeriodStart.Time, at.Add(-time.Second)) // before the next one, however soon that begins
	end := cmp.Or(
		r.CurrentPeriodEnd.Time, period.Schedule{Anchor: start, Location: location, Interval: s.Interval}.Boundary(1),
	)
	switch {
	case why != subscription.PauseRequested && why != subscription.PauseNoMethod:
		return fault.InvalidParam("pauseReason", "import_pause_invalid",
			"`pauseReason` cannot be %.40q. Send `%s` or `%s`.", string(why), subscription.PauseRequested,
			subscription.PauseNoMethod)
	case at.After(now):
		return fault.InvalidParam("pausedAt", "import_pause_invalid", "`pausedAt` must not be in the future.")
	case !r.ResumesAt.Time.IsZero() && !r.ResumesAt.After(now):
		return fault.InvalidParam("resumesAt", "import_pause_invalid",
			"The pause ended at %s. Export the subscription from the system that you move from again.", shown(r.ResumesAt.Time))
	case r.CancelAtPeriodEnd:
		return fault.InvalidParam("cancelAtPeriodEnd", "import_pause_invalid",
			"A paused subscription has no period to end with. Omit `cancelAtPeriodEnd`, or leave the record out.")
	case start.After(at) || !start.Before(end):
		return notBegun(start)
	}
	s.Status, s.PausedAt, s.PauseReason, s.ResumesAt = subscription.Paused, at, why, r.ResumesAt.Time
	s.AnchorAt, s.CurrentPeriod = start, period.Period{Start: start, End: end}
	if why == subscription.PauseNoMethod { // its first period is still to come
		s.TrialEndsAt = cmp.Or(s.TrialEndsAt, at)
		return nil
	}
	s.NextPeriod, s.PeriodIndex, s.RenewedIndex, s.RenewedFrom = 1, 1, 1, start
	s.ActivatedAt, s.PaidThrough = start, at
	return nil
}
