package period

import "time"

// Period is the half-open span [Start, End): the instant it ends belongs to the next one.
type Period struct {
	Start, End time.Time
}

// Contains reports whether t lies in [Start, End).
func (p Period) Contains(t time.Time) bool {
	return !t.Before(p.Start) && t.Before(p.End)
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
