package subscription

import "perennial/billing/retry"

// PastDueBilling tells what boundaries do while a subscription is past due.
type PastDueBilling string

// The two ways.
const (
	SkipPastDue   PastDueBilling = "skip"   // periods that pass unpaid are never billed (default)
	AccruePastDue PastDueBilling = "accrue" // every period is billed
)

// Settings are an environment's choices that the rules depend on.
type Settings struct {
	TimeZone               string
	Retry                  retry.Policy
	PastDueBilling         PastDueBilling
	PastDueCancelAfterDays int // 0: never
}
