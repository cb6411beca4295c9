package dunning

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/retry"
)

// Reminders says after which failed attempts the customer gets a mail (email.PaymentFailed). The zero value: after all.
type Reminders struct {
	None     bool
	Attempts []int // after these alone, from 1, which is the first attempt; empty: all
}

// Follow reports whether a reminder follows from a failed attempt of an invoice. A charge without an invoice has no
// attempt number (0), and no policy.
func (r Reminders) Follow(attempt int) bool {
	switch {
	case attempt == 0:
		return true
	case r.None:
		return false
	default:
		return len(r.Attempts) == 0 || slices.Contains(r.Attempts, attempt)
	}
}

// maxAttempts bounds the attempts that a reminder can follow from: the first one, and all retries.
const maxAttempts = 1 + retry.MaxRetries

// validate returns a fault for attempts that cannot be. Fault: reminders_invalid.
func (r Reminders) validate() error {
	for i, n := range r.Attempts {
		if n < 1 || n > maxAttempts || slices.Contains(r.Attempts[:i], n) {
			return fault.InvalidParam("reminderAttempts", "reminders_invalid",
				"`reminderAttempts` must name attempts from 1 to %d, each once.", maxAttempts)
		}
	}
	if r.None && len(r.Attempts) > 0 {
		return fault.InvalidParam("reminderAttempts", "reminders_invalid",
			"Attempts with a reminder need `reminders` to be absent or `all`.")
	}
	return nil
}
