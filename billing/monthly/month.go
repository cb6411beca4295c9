package monthly

import (
	"time"

	"perennial/billing/fault"
)

// Month is a calendar month. Its boundaries are midnights in a time zone.
type Month struct {
	Year  int
	Month time.Month
}

const form = "2006-01"

// ErrMalformed refuses a text that names no month.
var ErrMalformed = fault.InvalidParam("month", "month_malformed",
	"The month is malformed. Send a year from 1970 and a month, such as 2026-11.")

// Parse reads a month such as 2026-11. Fault: month_malformed.
func Parse(s string) (Month, error) {
	at, err := time.Parse(form, s)
	if err != nil || at.Year() < 1970 {
		return Month{}, ErrMalformed
	}
	return Month{at.Year(), at.Month()}, nil
}

// String returns the month as Parse reads it.
func (m Month) String() string { return m.first(time.UTC).Format(form) }

// Span returns the month as [from, to) in a time zone; nil is UTC. A midnight that does not exist there is the first
// instant after the gap, and of one that occurs twice it is the earlier.
func (m Month) Span(zone *time.Location) (from, to time.Time) {
	if zone == nil {
		zone = time.UTC
	}
	next := Month{m.Year, m.Month + 1}
	return m.first(zone), next.first(zone)
}

func (m Month) first(zone *time.Location) time.Time {
	at := time.Date(m.Year, m.Month, 1, 0, 0, 0, 0, zone)
	for at.Day() != 1 { // the midnight is in a gap, and Date went back before it
		at = at.Add(15 * time.Minute)
	}
	return at
}

// Settling is the time after the end of a month in which documents of its last moments are still being written: a
// transaction takes its time before it commits.
const Settling = 10 * time.Minute

// Complete reports whether no document of the month can be added any more. Test clocks are no part of it: their
// customers have documents of any time.
func (m Month) Complete(zone *time.Location, now time.Time) bool {
	_, to := m.Span(zone)
	return !now.Before(to.Add(Settling))
}
