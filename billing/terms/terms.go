// Package terms owns the due date of an invoice: at issue, or some days later. It does not own what is done about an
// unpaid one (dunning).
package terms

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// Method is the way in which an invoice is collected.
type Method string

// The methods. Empty is Charge.
const (
	Charge Method = "charge_automatically" // the customer's payment method is charged at once
	Send   Method = "send_invoice"         // the customer pays it, within NetDays
)

// Terms are the method by which an invoice is collected, and the time that a customer has to pay it.
type Terms struct {
	Method Method `json:"method,omitzero"`
	// NetDays are local calendar days after the day of issue, of an invoice that is sent.
	NetDays int `json:"netDays,omitzero"`
}

// Sent reports whether the customer pays the invoice, so that nothing is charged automatically.
func (t Terms) Sent() bool { return t.Method == Send }

// MaxNetDays bounds the wait at a year.
const MaxNetDays = 365

// Validate refuses an unknown method, days without a wait, and a negative or longer wait: collection_method_unknown,
// net_days_without_send, net_days_out_of_range.
func (t Terms) Validate() error {
	if t.Method != "" && t.Method != Charge && t.Method != Send {
		return fault.InvalidParam("collectionMethod", "collection_method_unknown",
			"`collectionMethod` must be %s or %s.", Charge, Send)
	}
	if t.NetDays != 0 && !t.Sent() {
		return fault.InvalidParam("netDays", "net_days_without_send",
			"`netDays` needs `collectionMethod: \"%s\"`: what is charged automatically is due at once.", Send)
	}
	if t.NetDays < 0 || t.NetDays > MaxNetDays {
		return fault.InvalidParam("netDays", "net_days_out_of_range",
			"`netDays` must be 0 to %d. The request has %d.", MaxNetDays, t.NetDays)
	}
	return nil
}

// Changed returns the terms with another method, other days or both; nil: unchanged. With automatic charging there are
// no days to wait. Faults: those of Validate.
func (t Terms) Changed(method *Method, netDays *int) (Terms, error) {
	to := t
	if method != nil {
		if to.Method = *method; !to.Sent() {
			to.NetDays = 0
		}
	}
	if netDays != nil {
		to.NetDays = *netDays
	}
	return to, to.Validate()
}

// DueAt is the end of the local day by which an invoice that is sent has to be paid: from then on it is overdue. The
// zero time: it is charged at once.
func (t Terms) DueAt(issued time.Time, loc *time.Location) time.Time {
	if !t.Sent() {
		return time.Time{}
	}
	return t.Due(issued, loc).End
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
