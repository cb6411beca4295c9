package subscription

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/period"
)

// BackdatedBilling says which of the periods that have passed are billed of a subscription that began in the past.
type BackdatedBilling string

// The ways. Empty: BillAllPeriods.
const (
	BillAllPeriods    BackdatedBilling = "all"            // each, on an invoice of its own that is due now
	BillCurrentPeriod BackdatedBilling = "current_period" // only the one that runs, in full
)

// Bounds of a start in the past: earlier is a typing error, and each period may be an invoice that is collected.
const (
	MaxBackdateDays     = 730
	MaxBackdatedPeriods = 60
)

// backdate returns the index of the first period that is billed of a subscription that began at in.StartsAt. Its trial is
// the past: it has none. Faults: starts_at_out_of_range, trial_backdated.
func (in NewInput) backdate(schedule period.Schedule, now time.Time) (first int, err error) {
	if in.TrialDays != nil && *in.TrialDays > 0 {
		return 0, fault.InvalidParam("trialDays", "trial_backdated",
			"A subscription that began in the past has no trial. Send `startsAt` or `trialDays`.")
	}
	earliest := period.AddDays(now, schedule.Location, -MaxBackdateDays)
	if schedule.Anchor.After(now) || schedule.Anchor.Before(earliest) {
		return 0, fault.InvalidParam("startsAt", "starts_at_out_of_range",
			"`startsAt` must not be in the future, nor more than %d days ago. For a later start, send `trialDays`.",
			MaxBackdateDays)
	}
	passed := schedule.IndexAt(now)
	if in.Backdated == BillCurrentPeriod {
		return passed, nil
	}
	if passed > MaxBackdatedPeriods {
		return 0, fault.InvalidParam("startsAt", "starts_at_out_of_range",
			"%d periods have passed since `startsAt`, and at most %d are billed at once. Send a later start, or "+
				"`backdatedBilling: \"%s\"`.", passed, MaxBackdatedPeriods, BillCurrentPeriod)
	}
	return 0, nil
}
