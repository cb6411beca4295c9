package usage

import "time"

// Granularity is the length of the periods of a series.
type Granularity string

// The granularities. Days, weeks and months begin at local midnight.
const (
	ByHour  Granularity = "hour"
	ByDay   Granularity = "day"
	ByWeek  Granularity = "week" // from Monday
	ByMonth Granularity = "month"
	Whole   Granularity = "total" // one period
)

// MaxWindows bounds the periods of one series.
const MaxWindows = 1000

// Windows divides [from, to) at the boundaries of a granularity. The first and the last window may be shorter. It
// returns at most MaxWindows+1, which means that there are too many.
func Windows(g Granularity, from, to time.Time, zone *time.Location) []Span {
	var spans []Span
	for start := from; start.Before(to) && len(spans) <= MaxWindows; {
		end := g.next(start.In(zone))
		if g == Whole || end.After(to) {
			end = to
		}
		spans = append(spans, Span{Start: start.UTC(), End: end.UTC()})
		start = end
	}
	return spans
}

// next returns the first boundary after a local time. A midnight that does not exist becomes the first instant after
// the gap.
func (g Granularity) next(at time.Time) time.Time {
	year, month, day := at.Date()
	switch g {
	case ByDay:
		day++
	case ByWeek:
		day += 7 - (int(at.Weekday())+6)%7
	case ByMonth:
		month, day = month+1, 1
	default:
		return at.Truncate(time.Hour).Add(time.Hour)
	}
	next := time.Date(year, month, day, 0, 0, 0, 0, at.Location())
	if next.Day() != time.Date(year, month, day, 12, 0, 0, 0, at.Location()).Day() { // in a gap, Go has the hour before
		next = next.Add(time.Hour)
	}
	return next
}
