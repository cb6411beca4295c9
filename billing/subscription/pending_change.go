package subscription

import "time"

// PendingChange is a change that is made once its invoice is paid. Until then the subscription is as it was. At is the
// instant from which the invoice bills it.
type PendingChange struct {
	ScheduledChange
	InvoiceID    string    `json:"invoiceId"`
	Until        time.Time `json:"until"`                  // it is withdrawn then, with its invoice; whole seconds
	AttemptsOnce bool      `json:"attemptsOnce,omitempty"` // it is withdrawn as soon as its first attempt has failed
}

// Moves reports whether the change is a move to another version of the present plan.
func (c PendingChange) Moves(s Subscription) bool {
	return c.Plan.ID == s.PlanID && c.Plan.Version != s.PlanVersion
}

// Pays reports whether an invoice is that of the change that waits for its payment.
func (s Subscription) Pays(invoiceID string) bool {
	return s.PendingChange != nil && s.PendingChange.InvoiceID == invoiceID
}

// TimeToPayChange returns the end of the time to pay for a change that is billed now: TimeToPay, but no later than the
// next boundary or scheduled change, which would change what the invoice bills.
func (s Subscription) TimeToPayChange(now time.Time) time.Time {
	return s.beforeOtherChange(now.UTC().Truncate(time.Second).Add(TimeToPay))
}

// beforeOtherChange returns a time, but no later than the next boundary or scheduled change.
func (s Subscription) beforeOtherChange(at time.Time) time.Time {
	if boundary := s.Boundary(); boundary.Before(at) {
		at = boundary
	}
	if len(s.Scheduled) > 0 && s.Scheduled[0].At.Before(at) {
		at = s.Scheduled[0].At
	}
	return at
}

// CanMoveChangeEnd reports whether the time to pay for the pending change can be moved to a later time.
func (s Subscription) CanMoveChangeEnd(to time.Time) bool { return s.beforeOtherChange(to).Equal(to) }
