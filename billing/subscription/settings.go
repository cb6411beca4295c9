package subscription

import (
	"perennial/billing/fault"
	"perennial/billing/period"
	"perennial/billing/retry"
)

// PastDueBilling says what boundaries do while a subscription is past due.
type PastDueBilling string

// The two ways.
const (
	SkipPastDue   PastDueBilling = "skip"   // periods that pass unpaid are never billed (default)
	AccruePastDue PastDueBilling = "accrue" // every period is billed
)

// maxPatience is the longest time in `past_due`, in days, that ends in a cancellation; longer is never.
const maxPatience = 365

// Settings are an environment's choices that the rules depend on.
type Settings struct {
	TimeZone               string
	Retry                  retry.Policy
	PastDueBilling         PastDueBilling
	PastDueCancelAfterDays int // 0: never
}

// DefaultSettings are those of an environment for which nothing was chosen.
func DefaultSettings() Settings {
	return Settings{TimeZone: "UTC", Retry: retry.Default(), PastDueBilling: SkipPastDue}
}

// Validate returns a fault for the first field that the rules cannot work with: time_zone_unknown,
// retry_policy_invalid, past_due_billing_unknown, past_due_cancel_after_days_out_of_range.
func (s Settings) Validate() error {
	if _, err := period.LoadLocation(s.TimeZone); err != nil {
		return err
	}
	if err := s.Retry.Validate(); err != nil {
		return err
	}
	if s.PastDueBilling != SkipPastDue && s.PastDueBilling != AccruePastDue {
		return fault.InvalidParam("pastDueBilling", "past_due_billing_unknown",
			"`pastDueBilling` cannot be %.40q. Send `%s` or `%s`.", s.PastDueBilling, SkipPastDue, AccruePastDue)
	}
	if s.PastDueCancelAfterDays < 0 || s.PastDueCancelAfterDays > maxPatience {
		return fault.InvalidParam("pastDueCancelAfterDays", "past_due_cancel_after_days_out_of_range",
			"`pastDueCancelAfterDays` must be 1 to %d, or 0 to never cancel.", maxPatience)
	}
	return nil
}
