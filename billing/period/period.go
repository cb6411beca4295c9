package period

import "time"

// Period is the half-open span [Start, End): the instant it ends belongs to the next one.
type Period struct {
	Start, End time.Time
}

// Contains tells whether t lies in [Start, End).
func (p Period) Contains(t time.Time) bool {
	return !t.Before(p.Start) && t.Before(p.End)
}

// Overlaps reports whether the two have an instant in common.
func (p Period) Overlaps(other Period) bool {
	return p.End.After(other.Start) && p.Start.Before(other.End)
}

// Duration is the real time the period lasts; a day on which the clocks change has 23 or 25 hours.
func (p Period) Duration() time.Duration { return p.End.Sub(p.Start) }

// Seconds is the length that money is divided by. It counts the Unix seconds that begin in the period, so adjacent
// periods never count one twice.
func (p Period) Seconds() int64 { return p.End.Unix() - p.Start.Unix() }

// String is for logs.
func (p Period) String() string {
	return "[" + p.Start.UTC().Format(time.RFC3339) + ", " + p.End.UTC().Format(time.RFC3339) + ")"
}

// BelongsTo reports whether the time that an invoice or a line pays for is all of a billing period, or its rest after a
// change. Ending together is not enough: a month that was cut short by a change to weeks may end with one of the weeks.
func (p Period) BelongsTo(billing Period) bool {
	return p.End.Equal(billing.End) && !p.Start.Before(billing.Start)
}
