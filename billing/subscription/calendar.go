package subscription

import (
	"time"

	"perennial/billing/period"
)

// Schedule is the grid of period boundaries. The zone was checked at creation; a zone that has vanished from the
// database since is taken as UTC, which keeps billing and is loud in the dates.
func (s Subscription) Schedule() period.Schedule {
	location, err := period.LoadLocation(s.TimeZone)
	if err != nil {
		location = time.UTC
	}
	return period.Schedule{Anchor: s.AnchorAt, Location: location, Interval: s.Interval}
}

// Location is where its calendar is.
func (s Subscription) Location() *time.Location { return s.Schedule().Location }

// Boundary is when the next period is due: where it starts, but none before the subscription was created.
func (s Subscription) Boundary() time.Time {
	if s.Unbegun() {
		return s.CreatedAt
	}
	return s.Schedule().Boundary(s.NextPeriod)
}

// Unbegun reports whether the subscription was created without a trial, and its first period is not opened yet.
func (s Subscription) Unbegun() bool {
	return s.PeriodIndex == 0 && (s.Status == Active || s.Status == Incomplete)
}

// BeforeAnchor is the index of the period that ends at the anchor.
const BeforeAnchor = -1

// BeginAt makes the period that an instant is in the first one, from that instant on, and the next one to open.
func (s *Subscription) BeginAt(start time.Time) {
	index := s.Schedule().IndexAt(start)
	s.CurrentPeriod = period.Period{Start: start, End: s.Schedule().Boundary(index + 1)}
	s.NextPeriod = max(index, 0)
}

// Short reports whether the current period is the first one and ends at an anchor that is later than the start. A trial
// ends at its anchor too, and costs nothing.
func (s Subscription) Short() bool {
	return s.Status != Trialing && s.CurrentPeriod.Start.Before(s.AnchorAt) && s.CurrentPeriod.End.Equal(s.AnchorAt)
}

// Whole is the period that is divided where the current one is: itself, or the interval that a short first one is the
// end of.
func (s Subscription) Whole() period.Period {
	if s.PeriodIndex > 0 && s.Short() {
		return s.Schedule().Period(BeforeAnchor)
	}
	return s.CurrentPeriod
}
