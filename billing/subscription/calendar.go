package subscription

import (
	"time"

	"perennial/billing/period"
)

// Schedule returns the grid of period boundaries. The zone was checked at creation. If a later database of zones lacks
// it, UTC is used: billing continues, and the dates show the difference.
func (s Subscription) Schedule() period.Schedule {
	location, err := period.LoadLocation(s.TimeZone)
	if err != nil {
		location = time.UTC
	}
	return period.Schedule{Anchor: s.AnchorAt, Location: location, Interval: s.Interval}
}

// Location returns the time zone of its calendar.
func (s Subscription) Location() *time.Location { return s.Schedule().Location }

// Boundary returns the start of the next period, but no time before the subscription was created.
func (s Subscription) Boundary() time.Time {
	if s.Unbegun() {
		return s.CreatedAt
	}
	return s.Schedule().Boundary(s.NextPeriod)
}

// Unbegun reports whether the subscription has no trial and its first period is not open yet.
func (s Subscription) Unbegun() bool {
	return s.PeriodIndex == 0 && (s.Status == Active || s.Status == Incomplete)
}

// BeforeAnchor is the index of the period that ends at the anchor.
const BeforeAnchor = -1

// BeginAt makes the period around an instant the first one, from that instant on, and the next one to open.
func (s *Subscription) BeginAt(start time.Time) {
	index := s.Schedule().IndexAt(start)
	s.CurrentPeriod = period.Period{Start: start, End: s.Schedule().Boundary(index + 1)}
	s.NextPeriod = max(index, 0)
}

// Short reports whether the current period is the first one and is cut short by an anchor after the start. A trial ends
// at its anchor too, but costs nothing.
func (s Subscription) Short() bool {
	return s.Status != Trialing && s.CurrentPeriod.Start.Before(s.AnchorAt) && s.CurrentPeriod.End.Equal(s.AnchorAt)
}

// Whole returns the period that proration divides: the current one, or, for a short first one, the interval that it is
// the end of.
func (s Subscription) Whole() period.Period {
	if s.PeriodIndex > 0 && s.Short() {
		return s.Schedule().Period(BeforeAnchor)
	}
	return s.CurrentPeriod
}
