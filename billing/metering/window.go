package metering

import (
	"time"

	"perennial/billing/usage"
)

// Window returns from which segment on an invoice may bill any, where those so far bill usage up to some time: later
// records of those before were refused, or are on the invoice before. The segments are in the order of time.
func Window(all []Segment, billedUntil time.Time) (from int) {
	for i, s := range all {
		if !s.End.Add(usage.MaxAge).After(billedUntil) {
			from = i + 1
		}
	}
	return from
}
