// Package period owns billing periods: intervals, the grid of boundaries that an anchor and a time zone define, and
// calendar days in local time. It does not own what happens at a boundary, and it never asks what time it is.
package period

import (
	"fmt"

	"perennial/billing/fault"
)

// Unit is the calendar unit of an interval.
type Unit string

// The units.
const (
	Day   Unit = "day"
	Week  Unit = "week"
	Month Unit = "month"
	Year  Unit = "year"
)

// Interval is the length of a period: Count units of the calendar.
type Interval struct {
	Unit  Unit `json:"unit"`
	Count int  `json:"count"`
}

// maxCount bounds an interval to ten years: longer than any plan needs, short enough that a time.Duration holds it.
var maxCount = map[Unit]int{Day: 3650, Week: 520, Month: 120, Year: 10}

// Validate refuses an unknown unit with `interval_unknown`, and a count below 1 or a length above ten years with
// `interval_count_out_of_range`.
func (i Interval) Validate() error {
	limit, known := maxCount[i.Unit]
	if !known {
		return fault.InvalidParam("interval", "interval_unknown",
			"%.20q is not an interval. Send `day`, `week`, `month` or `year`.", string(i.Unit))
	}
	if i.Count < 1 || i.Count > limit {
		return fault.InvalidParam("intervalCount", "interval_count_out_of_range",
			"The interval count is out of range. For an interval of %ss, send 1 to %d.", i.Unit, limit)
	}
	return nil
}

// String is for people: "1 month", "3 months".
func (i Interval) String() string {
	if i.Count == 1 {
		return "1 " + string(i.Unit)
	}
	return fmt.Sprintf("%d %ss", i.Count, i.Unit)
}

// months and days translate the four units to the two that calendar arithmetic has.
func (i Interval) months() int {
	switch i.Unit {
	case Month:
		return i.Count
	case Year:
		return 12 * i.Count
	default:
		return 0
	}
}

func (i Interval) days() int {
	switch i.Unit {
	case Day:
		return i.Count
	case Week:
		return 7 * i.Count
	default:
		return 0
	}
}

// Multiple returns the number of other intervals that the interval is as long as; ok is false where that is no whole
// number on the calendar: months and years are counted in months, days and weeks in days.
func (i Interval) Multiple(of Interval) (n int, ok bool) {
	long, short := i.months(), of.months()
	if long == 0 && short == 0 {
		long, short = i.days(), of.days()
	}
	if long == 0 || short == 0 || long%short != 0 {
		return 0, false
	}
	return long / short, true
}

// SameLength reports whether two intervals make the same periods: 12 months and a year, seven days and a week.
func (i Interval) SameLength(as Interval) bool {
	n, ok := i.Multiple(as)
	return ok && n == 1
}
