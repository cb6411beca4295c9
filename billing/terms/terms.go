// Package terms owns by when an invoice has to be paid: at once, or some days after it was issued. It does not own what is
// done about one that is not (dunning).
package terms

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// Terms are how long a customer may wait with the payment of an invoice.
type Terms struct {
	// NetDays are local calendar days after the day of issue; 0: the invoice is collected automatically, at once.
	NetDays int `json:"netDays,omitzero"`
}

// MaxNetDays bounds the wait at a year.
const MaxNetDays = 365

// Validate refuses a negative or longer wait: net_days_out_of_range.
func (t Terms) Validate() error {
	if t.NetDays < 0 || t.NetDays > MaxNetDays {
		return fault.InvalidParam("netDays", "net_days_out_of_range",
			"`netDays` must be 0 to %d. The request has %d.", MaxNetDays, t.NetDays)
	}
	return nil
}

// Due is the local day by whose end an invoice has to be paid. The day after it the invoice is overdue: Due.End.
func (t Terms) Due(issued time.Time, loc *time.Location) period.Period {
	if loc == nil {
		loc = time.UTC
	}
	days := period.Schedule{
		Anchor: time.Date(2001, time.January, 1, 0, 0, 0, 0, loc), Location: loc,
		Interval: period.Interval{Unit: period.Day, Count: 1},
	}
	return days.Period(days.IndexAt(issued) + t.NetDays)
}
