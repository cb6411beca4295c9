package period

import "time"

// Earliest and Latest bound the calendar. A boundary beyond them is moved to them, so that arithmetic on a hostile
// count or date can neither overflow nor yield a year which RFC 3339 and PostgreSQL cannot write.
var (
	Earliest = time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC)
	Latest   = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
)

// wall is the reading of a calendar and a wall clock, in no particular place. It is kept in a time.Time in UTC, where
// every wall time exists exactly once, and a day always has 24 hours.
type wall struct{ t time.Time }

// wallOf reads the wall clock of loc at an instant.
func wallOf(t time.Time, loc *time.Location) wall {
	t = t.In(loc)
	year, month, day := t.Date()
	return wall{time.Date(year, month, day, t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)}
}

// addDays moves by calendar days.
func (w wall) addDays(days int) wall { return wall{w.t.AddDate(0, 0, days)} }

// addMonths moves by calendar months; a day the target month does not have becomes its last.
func (w wall) addMonths(months int) wall {
	year, month, day := w.t.Date()
	first := time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	lastDay := first.AddDate(0, 1, -1).Day()
	sinceMidnight := w.t.Sub(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	return wall{first.AddDate(0, 0, min(day, lastDay)-1).Add(sinceMidnight)}
}

// instant returns when the clock in loc shows w: the earlier instant if that happens twice, the first instant after the
// gap if never. time.Date promises one of two answers in both cases without saying which, hence the work.
func (w wall) instant(loc *time.Location) time.Time {
	year, month, day := w.t.Date()
	t := time.Date(year, month, day, w.t.Hour(), w.t.Minute(), w.t.Second(), w.t.Nanosecond(), loc)
	start, end := t.ZoneBounds()
	switch shown := wallOf(t, loc).t; {
	case shown.After(w.t): // in a gap, read with the offset before it: the result lies behind the change
		return start.UTC()
	case shown.Before(w.t): // in a gap, read with the offset after it: the result lies ahead of the change
		return end.UTC()
	}
	if start.IsZero() {
		return t.UTC()
	}
	_, offset := t.Zone()
	_, offsetBefore := start.Add(-1).Zone()
	if earlier := t.Add(time.Duration(offset-offsetBefore) * time.Second); earlier.Before(start) {
		return earlier.UTC()
	}
	return t.UTC()
}

// AddDays moves t by local calendar days and keeps the time of day, under the same rules as Boundary for wall times
// that a clock change removes or repeats. Zero days is t itself.
func AddDays(t time.Time, loc *time.Location, days int) time.Time {
	t = within(t)
	if days == 0 {
		return t
	}
	return within(wallOf(t, orUTC(loc)).addDays(clampCount(days, 1)).instant(orUTC(loc)))
}

// within moves an instant into [Earliest, Latest] and to UTC.
func within(t time.Time) time.Time {
	switch {
	case t.Before(Earliest):
		return Earliest
	case t.After(Latest):
		return Latest
	}
	return t.UTC()
}

// clampCount limits n so that n units of `size` days or months stay where calendar arithmetic is safe: more days than
// the calendar has on one side, which within then cuts.
func clampCount(n, size int) int {
	const most = 10_000 * 366
	limit := most / max(size, 1)
	return min(max(n, -limit), limit) * max(size, 1)
}

func orUTC(loc *time.Location) *time.Location {
	if loc == nil {
		return time.UTC
	}
	return loc
}
