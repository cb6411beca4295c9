package view

import (
	"time"

	"perennial/billing/fault"
)

// CheckSpan refuses a span of time, in Unix seconds, that holds nothing; 0: that end is open. An empty span is a
// mistake in the caller's arithmetic; an empty list would hide it. Fault: time_span_empty.
func CheckSpan(from, to int64) error {
	if from > 0 && to > 0 && from >= to {
		return fault.InvalidParam("to", "time_span_empty", "`to` must be later than `from`.")
	}
	return nil
}

// Instant returns the time of Unix seconds; 0: none.
func Instant(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// Unix returns a time as resources show it; zero where there is none, and then left out.
func Unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
