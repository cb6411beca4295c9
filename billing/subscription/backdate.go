package subscription

import (
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/period"
)

// BackdatedBilling says which of the periods that have passed are billed of a subscription that began in the past.
type BackdatedBilling string

// The ways. Empty: BillAllPeriods.
const (
	BillAllPeriods    BackdatedBilling = "all"            // each, on the first invoice
	BillCurrentPeriod BackdatedBilling = "current_period" // only the one that runs, in full
)

// Bounds of a start in the past: earlier is a typing error, and an invoice with more lines is read by nobody.
const (
	MaxBackdateDays     = 730
	MaxBackdatedPeriods = 36
	maxBackdatedLines   = 1000
)

// startAt sets the calendar of a subscription without a trial from its start on: its first period is the first one that is
// billed. every is what a period costs at most. Faults: starts_at_out_of_range, amount_too_large.
func (s *Subscription) startAt(in NewInput, prices int, every money.Minor) error {
	s.AnchorAt = s.CreatedAt
	if !in.StartsAt.IsZero() {
		s.AnchorAt = in.StartsAt.UTC().Truncate(time.Second)
	}
	if s.AnchorAt.After(s.CreatedAt) || s.AnchorAt.Before(period.AddDays(s.CreatedAt, s.Location(), -MaxBackdateDays)) {
		return fault.InvalidParam("startsAt", "starts_at_out_of_range",
			"`startsAt` must not be in the future, nor more than %d days ago. For a later start, send `trialDays`.",
			MaxBackdateDays)
	}
	passed := s.schedule().IndexAt(s.CreatedAt)
	if in.Backdated == BillCurrentPeriod {
		s.NextPeriod, passed = passed, 0
	}
	s.CurrentPeriod = s.schedule().Period(s.NextPeriod)
	if passed > MaxBackdatedPeriods || passed > 0 && (passed+1)*prices > maxBackdatedLines {
		return fault.InvalidParam("startsAt", "starts_at_out_of_range",
			"%d periods have passed since `startsAt`, and one invoice bills at most %d, with at most %d lines. Send a later "+
				"start, or `backdatedBilling: \"%s\"`.", passed, MaxBackdatedPeriods, maxBackdatedLines, BillCurrentPeriod)
	}
	if err := (every * money.Minor(passed+1)).Check(); err != nil {
		return fault.From(err).In("startsAt")
	}
	return nil
}
