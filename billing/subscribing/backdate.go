package subscribing

import (
	"cmp"
	"time"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// BackdatedBilling selects the past periods that are billed for a subscription that began in the past.
type BackdatedBilling string

// The values. Empty: BillAllPeriods.
const (
	BillAllPeriods    BackdatedBilling = "all"            // all of them, on the first invoice
	BillCurrentPeriod BackdatedBilling = "current_period" // only the current one, in full
)

// Bounds of a start in the past: an earlier one is a typing error, and an invoice with more lines is unreadable.
const (
	MaxBackdateDays     = 730
	MaxBackdatedPeriods = 36
	maxBackdatedLines   = 1000
)

// start sets the calendar of a subscription without a trial. Its first period is the first one that is billed, and ends
// at a later anchor. every is the highest cost of a period. Faults: starts_at_out_of_range,
// billing_anchor_out_of_range, amount_too_large.
func (in NewInput) start(s *subscription.Subscription, prices int, every money.Minor) error {
	start := cmp.Or(in.StartsAt, s.CreatedAt).UTC().Truncate(time.Second)
	if start.After(s.CreatedAt) || start.Before(period.AddDays(s.CreatedAt, s.Location(), -MaxBackdateDays)) {
		return fault.InvalidParam("startsAt", "starts_at_out_of_range",
			"`startsAt` must not be in the future, nor more than %d days ago. For a later start, send `trialDays`.",
			MaxBackdateDays)
	}
	s.AnchorAt = cmp.Or(in.Anchor, start).UTC().Truncate(time.Second)
	first, runs := s.Schedule().IndexAt(start), s.Schedule().IndexAt(s.CreatedAt)
	if !in.Anchor.IsZero() && first != subscription.BeforeAnchor {
		return fault.InvalidParam("billingAnchor", "billing_anchor_out_of_range",
			"`billingAnchor` must be after the subscription's start, %s, and at most one interval later.",
			start.Format(time.RFC3339))
	}
	if in.Backdated == BillCurrentPeriod && first < runs {
		first, start = runs, s.Schedule().Boundary(runs)
	}
	s.BeginAt(start)
	if first == subscription.BeforeAnchor && in.Proration == subscription.NoProration {
		s.UnproratedIndex = 1
	}
	passed := runs - first
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
