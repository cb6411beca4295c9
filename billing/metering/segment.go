// Package metering owns for which time of a subscription the metered prices of its plan count, and with which invoice
// that time is billed (ADR 58). It does not own what usage costs (metered), nor what else an invoice bills (costing).
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

// Segment is a time of a subscription, within one period, in which the same prices that are billed after a period
// counted: those of usage and those in arrears, of its plan and of its add-ons. Segments of a subscription do not
// overlap.
type Segment struct {
	Plan         plan.Ref
	Quantity     int64               // of the plan; 0: of a segment from before prices counted it
	AddOns       subscription.AddOns // with their quantities
	PeriodIndex  int
	Start, End   time.Time         // [Start, End)
	Share        metered.Share     // of the period, in seconds
	Measure      proration.Measure // whose units Share counts
	PeriodLength time.Duration     // of the whole period, over which averages are weighted
	// Discounts are the coupons that the subscription had.
	Discounts subscription.Discounts
}

// Current returns the segment that goes on, as it will be if it goes on to the end of its period: so are included
// units and minimums those of all of it. ok is false where no metered prices count. Fault: period_empty.
func Current(s subscription.Subscription) (current Segment, ok bool, err error) {
	if s.MeteredSince.IsZero() || !s.MeteredSince.Before(s.CurrentPeriod.End) {
		return Segment{}, false, nil
	}
	of := Opened{s.PeriodIndex, s.CurrentPeriod, s.Whole()}
	current, err = segment(s, of, s.MeteredSince, s.CurrentPeriod.End)
	return current, err == nil, err
}

// Opened is a period that a decision opened and that was over by then, as where a subscription began before it was
// created.
type Opened struct {
	PeriodIndex int
	Period      period.Period
	Whole       period.Period // what is divided where Period is a short first one: subscription.Subscription.Whole
}

// segment is what of a time counts for a subscription as it was then.
func segment(s subscription.Subscription, of Opened, start, end time.Time) (Segment, error) {
	part := period.Period{Start: start, End: end}
	// Time of usage is counted in seconds, whatever divides prices in advance: days would make nothing of a part of one.
	by := proration.Second
	span, err := by.Span(of.Whole, part, s.Location())
	return Segment{
		Plan: s.Plan(), Quantity: s.Quantity, AddOns: s.AddOns, PeriodIndex: of.PeriodIndex, Start: start, End: end,
		Share: metered.Share{Span: span}, Measure: by, PeriodLength: of.Whole.End.Sub(of.Whole.Start), Discounts: s.Discounts,
	}, err
}

// Reduced returns the coupons that are taken off the usage of the segment, whenever it is billed: of percentages.
func (s Segment) Reduced() (couponIDs []string) {
	for _, d := range s.Discounts {
		isFor := slices.ContainsFunc(s.Refs(), func(r plan.Ref) bool { return d.For(r.ID) })
		if d.Percent.IsGiven() && d.Holds(s.PeriodIndex) && isFor {
			couponIDs = append(couponIDs, d.CouponID)
		}
	}
	return couponIDs
}
