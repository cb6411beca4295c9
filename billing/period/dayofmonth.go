package period

import "time"

// NextDayOfMonth moves t to the next local date with that day of the month, t's own included, and keeps the time of
// day. In a month that does not have the day its last one counts. Wall times that a clock change removes or repeats
// follow the rules of Boundary. day is 1 to 31.
func NextDayOfMonth(t time.Time, loc *time.Location, day int) time.Time {
	t, loc = within(t), orUTC(loc)
	w := wallOf(t, loc)
	switch here := w.onDay(day); {
	case here == w:
		return t // unmoved: the wall time may occur twice, and the first one be over
	case here.t.After(w.t):
		return within(here.instant(loc))
	}
	first := wall{w.t.AddDate(0, 0, 1-w.t.Day())} // no month lacks its first day, so that none is jumped over
	return within(first.addMonths(1).onDay(day).instant(loc))
}

// onDay moves to a day of the same month, or to its last day.
func (w wall) onDay(day int) wall {
	year, month, today := w.t.Date()
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return w.addDays(min(max(day, 1), last) - today)
}
