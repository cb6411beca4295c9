package metering

import (
	"time"

	"perennial/billing/period"
	"perennial/billing/subscription"
)

// Costless is why the usage of a time is free.
type Costless string

// The reasons.
const (
	CostlessTrial  Costless = "trial"
	CostlessPause  Costless = "paused"
	CostlessPlan   Costless = "no_metered_prices" // the plan had none
	CostlessImport Costless = "before_import"     // another system bills it
	CostlessUnpaid Costless = "never_paid"        // the subscription ended without its first payment
)

// CostlessTime is a time of free usage; a zero end: it continues.
type CostlessTime struct {
	period.Period
	Reason Costless
}

// CostlessTimes returns the times of the current period, and of a pause after it, whose usage no invoice bills.
// segments are those of the period, with the open one, in the order of time.
func CostlessTimes(s subscription.Subscription, segments []Segment) (times []CostlessTime) {
	if s.Status == subscription.Trialing {
		return []CostlessTime{{s.CurrentPeriod, CostlessTrial}}
	}
	if s.PeriodIndex > 0 {
		times = gaps(s, segments)
	}
	if s.Status == subscription.Paused {
		times = append(times, CostlessTime{period.Period{Start: s.PausedAt, End: s.ResumesAt}, CostlessPause})
	}
	return times
}

// gaps returns the times of the current period without a segment.
func gaps(s subscription.Subscription, segments []Segment) (times []CostlessTime) {
	end := s.CurrentPeriod.End
	if s.Status == subscription.Canceled && s.CanceledAt.Before(end) {
		end = s.CanceledAt
	}
	from, reason := s.CurrentPeriod.Start, CostlessPlan
	switch {
	case s.NeverPaid():
		reason = CostlessUnpaid
	case s.PaidElsewhere() && len(segments) > 0:
		reason = CostlessImport
	}
	gap := func(to time.Time) {
		if from.Before(to) {
			times = append(times, CostlessTime{period.Period{Start: from, End: to}, reason})
		}
	}
	for _, segment := range segments {
		gap(segment.Start)
		from, reason = segment.End, CostlessPlan
	}
	gap(end)
	return times
}
