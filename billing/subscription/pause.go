package subscription

import "time"

// PauseReason is why a subscription is paused.
type PauseReason string

// The reasons.
const (
	PauseRequested PauseReason = "requested"         // by a command
	PauseNoMethod  PauseReason = "no_payment_method" // its trial ended without one; a new one resumes it
)

// EndPause clears the fields of a pause.
func (s *Subscription) EndPause() {
	s.PausedAt, s.ResumesAt, s.PauseReason = time.Time{}, time.Time{}, ""
}

// AwaitsMethod reports whether a new payment method resumes the subscription.
func (s Subscription) AwaitsMethod() bool {
	return s.Status == Paused && s.PauseReason == PauseNoMethod
}
