package subscription

import "time"

// PaidElsewhere reports whether the current period was paid in another system. It ends with the period: the next one
// that opens has another index.
func (s Subscription) PaidElsewhere() bool {
	return s.PaidElsewhereIndex != 0 && s.PaidElsewhereIndex == s.PeriodIndex
}

// LimitPaid moves PaidThrough back: the time after end was given back.
func (s *Subscription) LimitPaid(end time.Time) {
	if end.Before(s.PaidThrough) {
		s.PaidThrough = end
	}
}

// ExtendPaid moves PaidThrough, never back: a plan with shorter periods takes away nothing that was paid.
func (s *Subscription) ExtendPaid(end time.Time) {
	if end.After(s.PaidThrough) {
		s.PaidThrough = end
	}
}
