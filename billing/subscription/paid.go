package subscription

import (
	"time"

	"perennial/billing/period"
)

// PaidElsewhere reports whether the current period was paid in another system. The next period has another index, so
// the mark ends with the period.
func (s Subscription) PaidElsewhere() bool {
	return s.PaidElsewhereIndex != 0 && s.PaidElsewhereIndex == s.PeriodIndex
}

// BeganElsewhere reports whether an own period began in the system that a subscription was imported from: not after the
// imported period, from which RenewedFrom is until all own periods begin anew, and of an item that did not join later.
func BeganElsewhere(s Subscription, own period.Period, joined int) bool {
	return s.PaidElsewhereIndex != 0 && s.PaidElsewhereIndex >= max(s.RenewedIndex, joined) &&
		!own.Start.After(s.RenewedFrom)
}

// LimitPaid moves PaidThrough back to end: the time after end was given back.
func (s *Subscription) LimitPaid(end time.Time) {
	if end.Before(s.PaidThrough) {
		s.PaidThrough = end
	}
}

// ExtendPaid moves PaidThrough forward, never back: a plan with shorter periods takes no paid time away.
func (s *Subscription) ExtendPaid(end time.Time) {
	if end.After(s.PaidThrough) {
		s.PaidThrough = end
	}
}
