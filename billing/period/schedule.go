package period

import "time"

// Schedule is the grid of boundaries of a subscription. Boundary n lies n intervals from the anchor on the local
// calendar; it is counted from the anchor and never from the boundary before, so 31 January leads to 28 February and
// then back to 31 March.
//
// Boundaries strictly increase (for anchors since 1970; see skippedDays), and periods tile time without gap or overlap.
// Beyond the years 1 to 9999 every boundary is Earliest or Latest.
type Schedule struct {
	Anchor   time.Time
	Location *time.Location // nil is UTC
	Interval Interval       // must be valid; an invalid one counts single days, so that every call returns
}

// Boundary returns the start of period n, which is the end of period n-1, in UTC. Boundary(0) is the anchor; n may be
// negative. A wall time that does not exist becomes the first instant after the gap, one that occurs twice the earlier
// of the two.
func (s Schedule) Boundary(n int) time.Time {
	return s.gridPoint(n + s.skippedDays(n))
}

// Period is [Boundary(n), Boundary(n+1)).
func (s Schedule) Period(n int) Period {
	return Period{Start: s.Boundary(n), End: s.Boundary(n + 1)}
}

// IndexAt is the n with Boundary(n) <= t < Boundary(n+1). The calendar gives an estimate that is at most a step or two
// off, whatever the distance.
func (s Schedule) IndexAt(t time.Time) int {
	t = within(t)
	if !t.Before(Latest) {
		t = Latest.Add(-1) // from Latest on all boundaries are equal: answer with the last period
	}
	n := s.estimate(t)
	for s.Boundary(n).After(t) && s.Boundary(n).After(Earliest) {
		n--
	}
	for !s.Boundary(n + 1).After(t) {
		n++
	}
	return n
}

// gridPoint is the anchor's wall time n intervals later.
func (s Schedule) gridPoint(n int) time.Time {
	if n == 0 {
		// Not a wall time but an instant: an anchor in the second half of a repeated hour stays there.
		return within(s.Anchor)
	}
	loc := orUTC(s.Location)
	anchor := wallOf(within(s.Anchor), loc)
	if months := s.Interval.months(); months > 0 {
		return within(anchor.addMonths(clampCount(n, months)).instant(loc))
	}
	return within(anchor.addDays(clampCount(n, s.Interval.days())).instant(loc))
}

// estimate counts intervals between the wall times of the anchor and of t, near enough for IndexAt.
func (s Schedule) estimate(t time.Time) int {
	loc := orUTC(s.Location)
	from, to := wallOf(within(s.Anchor), loc).t, wallOf(t, loc).t
	if months := s.Interval.months(); months > 0 {
		return ((to.Year()-from.Year())*12 + int(to.Month()-from.Month())) / months
	}
	const day = 24 * 60 * 60
	return int((to.Unix()-from.Unix())/day) / max(s.Interval.days(), 1)
}

// Every returns the grid of another interval from the same anchor. Where that is a whole multiple of the schedule's own
// interval, each of its boundaries is one of the schedule's.
func (s Schedule) Every(i Interval) Schedule {
	s.Interval = i
	return s
}

// Around returns the period that contains an instant.
func (s Schedule) Around(t time.Time) Period { return s.Period(s.IndexAt(t)) }
