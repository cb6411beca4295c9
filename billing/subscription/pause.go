package subscription

import "time"

// PauseReason says why a subscription is paused.
type PauseReason string

// The reasons.
const (
	PauseRequested PauseReason = "requested"         // a command asked for it
	PauseNoMethod  PauseReason = "no_payment_method" // its trial ended without one; one that is added resumes it
)

// EndPause forgets the pause.
func (s *Subscription) EndPause() {
	s.PausedAt, s.ResumesAt, s.PauseReason = time.Time{}, time.Time{}, ""
}

// AwaitsMethod reports whether a payment method that is added resumes the subscription.
func (s Subscription) AwaitsMethod() bool {
	return s.Status == Paused && s.PauseReason == PauseNoMethod
}
