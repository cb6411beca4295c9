package proration

import "time"

// day counts local calendar days, the end excluded: the day of a change belongs to what begins, and the day of an end
// is not used any more. Kill Bill divides so.
type day struct{}

func (day) units(from, to time.Time, loc *time.Location) int64 {
	return date(to, loc) - date(from, loc)
}

func (d day) used(from, end time.Time, loc *time.Location) int64 { return d.units(from, end, loc) }

// dayInclusive counts local calendar days as day does, and the day on which a use ends is used to its end. Lago divides
// so: its periods run to the last second of their last day, and a change still belongs to what begins.
type dayInclusive struct{ day }

// A use that ends at midnight does not touch the day that begins, so the instant before it decides.
func (dayInclusive) used(from, end time.Time, loc *time.Location) int64 {
	return max(date(end.Add(-1), loc)+1-date(from, loc), 0)
}

// date numbers the days of the calendar; a country that skips a day skips a number.
func date(t time.Time, loc *time.Location) int64 {
	year, month, day := t.In(loc).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
}
