// Package metering owns the times in which the metered prices of a subscription's plan count, and the invoices that
// bill these times (ADR 58). Package metered owns the cost of usage, and costing the other charges of an invoice.
package metering

import (
	"slices"
	"time"

	"perennial/billing/metered"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

// Segment is a time of a subscription, within one period, in which the same prices after a period counted: those of
// usage and those in arrears, of its plan and of its add-ons. Segments of a subscription do not overlap.
type Segment struct {
	Plan         plan.Ref
	Quantity     int64               // of the plan; 0: a segment from before prices counted it
	AddOns       subscription.AddOns // with their quantities
	PeriodIndex  int
	Start, End   time.Time         // [Start, End)
	Share        metered.Share     // of the period, in seconds
	Measure      proration.Measure // the unit of Share
	PeriodLength time.Duration     // of the whole period, over which averages are weighted
	// Discounts are the coupons that the subscription had.
	Discounts subscription.Discounts
}

// Current returns the open segment, as if it continued to the end of its period: included units and minimums are those
// of all of it. ok is false where no metered prices count. Fault: period_empty.
func Current(s subscription.Subscription) (current Segment, ok bool, err error) {
	if s.MeteredSince.IsZero() || !s.MeteredSince.Before(s.CurrentPeriod.End) {
		return Segment{}, false, nil
	}
	of := Opened{s.PeriodIndex, s.CurrentPeriod, s.Whole()}
	current, err = segment(s, of, s.MeteredSince, s.CurrentPeriod.End)
	return current, err == nil, err
}

// Opened is a period that had ended when a decision opened it, as for a subscription that began before its creation.
type Opened struct {
	PeriodIndex int
	Period      period.Period
	Whole       period.Period // the divided period, if Period is a short first one: subscription.Subscription.Whole
}

// segment returns the segment of a time, for a subscription in its state of that time.
func segment(s subscription.Subscription, of Opened, start, end time.Time) (Segment, error) {
	part := period.Period{Start: start, End: end}
	// Time of usage is counted in seconds, with any measure of prices in advance: in days, a part of a day would be
	// nothing.
	by := proration.Second
	span, err := by.Span(of.Whole, part, s.Location())
	return Segment{
		Plan: s.Plan(), Quantity: s.Quantity, AddOns: s.AddOns, PeriodIndex: of.PeriodIndex, Start: start, End: end,
		Share: metered.Share{Span: span}, Measure: by, PeriodLength: of.Whole.End.Sub(of.Whole.Start), Discounts: s.Discounts,
	}, err
}

// Reduced returns the coupons that reduce the usage of the segment on any invoice: those with percentages.
func (s Segment) Reduced() (couponIDs []string) {
	for _, d := range s.Discounts {
		isFor := slices.ContainsFunc(s.Refs(), func(r plan.Ref) bool { return d.For(r.ID) })
		if d.Percent.IsGiven() && d.Holds(s.PeriodIndex) && isFor {
			couponIDs = append(couponIDs, d.CouponID)
		}
	}
	return couponIDs
}
