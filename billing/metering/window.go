package metering

import (
	"time"

	"perennial/billing/usage"
)

// Window returns the index of the first segment that an invoice may bill, after invoices that bill usage up to a time:
// later records of earlier segments were refused, or are on the invoice before. The segments are in the order of time.
func Window(all []Segment, billedUntil time.Time) (from int) {
	for i, s := range all {
		if !s.End.Add(usage.MaxAge).After(billedUntil) {
			from = i + 1
		}
	}
	return from
}
