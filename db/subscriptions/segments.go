package subscriptions

import (
	"context"
	"time"

	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/usage"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Segments returns the segments of a subscription that ended by until, in the order of time. from is the index of the
// first one that an invoice may bill (metering.Window).
func (r Reader) Segments(
	ctx context.Context, environmentID, subscriptionID string, until time.Time,
) (all []metering.Segment, from int, err error) {
	billed, err := r.UsageBilledUntil(ctx, environmentID, subscriptionID)
	if err != nil {
		return nil, 0, err
	}
	all, err = r.segmentsUntil(ctx, environmentID, subscriptionID, until)
	return all, metering.Window(all, billed), err
}

// UnbilledSegments returns all ended segments of a subscription. from is the index of the first one that an invoice may
// bill.
func (r Reader) UnbilledSegments(
	ctx context.Context, environmentID, subscriptionID string,
) (all []metering.Segment, from int, err error) {
	return r.Segments(ctx, environmentID, subscriptionID, forever)
}

// UsageBilledUntil returns the time up to which issued invoices bill the usage of a subscription; the zero time: none
// do.
func (r Reader) UsageBilledUntil(ctx context.Context, environmentID, subscriptionID string) (time.Time, error) {
	billed, err := core.Queries.UsageBilledUntil(ctx, r.Handle, dbsqlc.UsageBilledUntilParams{
		EnvironmentID: environmentID, SubscriptionID: &subscriptionID,
	})
	if billed.IsZero() { // zero with a location
		billed = time.Time{}
	}
	return billed, core.Translate("UsageBilledUntil", err)
}

// forever is after every segment.
var forever = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// AllSegments returns the ended segments of a subscription, in the order of time.
func (r Reader) AllSegments(ctx context.Context, environmentID, subscriptionID string) ([]metering.Segment, error) {
	return r.segmentsUntil(ctx, environmentID, subscriptionID, forever)
}

// segmentsUntil returns the segments that ended by until.
func (r Reader) segmentsUntil(
	ctx context.Context, environmentID, subscriptionID string, until time.Time,
) ([]metering.Segment, error) {
	rows, err := core.Queries.UsageSegmentList(ctx, r.Handle, dbsqlc.UsageSegmentListParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, EndedBy: until,
	})
	return core.Map(rows, func(row dbsqlc.UsageSegmentListRow) metering.Segment {
		return segmentFromDB(row.UsageSegment)
	}), core.Translate("UsageSegmentList", err)
}

// UsageBilled returns the usage charges of all invoices, for the segments that start at from or later.
func (r Reader) UsageBilled(
	ctx context.Context, environmentID, subscriptionID string, from time.Time,
) (billed []metered.Charge, err error) {
	rows, err := core.Queries.UsageChargeSums(ctx, r.Handle, dbsqlc.UsageChargeSumsParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, FromStart: from,
	})
	if err != nil {
		return nil, core.Translate("UsageChargeSums", err)
	}
	for _, row := range rows {
		quantity, err := money.ReadDecimal(row.Quantity)
		if err != nil {
			return nil, err
		}
		billed = append(billed, metered.Charge{
			Key: metered.Key{
				PriceID: row.PriceID, Segment: row.SegmentStart.UnixMicro(),
				Lot: metered.Lot{Rate: row.Rate, By: usage.Group(row.Dimension)},
			},
			Quantity: quantity, Amount: money.Minor(row.Amount),
		})
	}
	return billed, nil
}

func segmentFromDB(row dbsqlc.UsageSegment) metering.Segment {
	return metering.Segment{
		Plan: catalog.PlanRef(row.PlanID), PeriodIndex: row.PeriodIndex, Start: row.StartedAt, End: row.EndedAt,
		Share:        metered.Share{Span: proration.Span{From: row.ShareFrom, To: row.ShareTo, Length: row.ShareLength}},
		Measure:      proration.Measure(row.ShareMeasure),
		PeriodLength: time.Duration(row.PeriodSeconds) * time.Second, Discounts: core.Value(row.Discounts),
		Quantity: core.Value(row.Quantity), AddOns: core.Value(row.AddOns),
	}
}

// UsageReached returns the keys of the thresholds that a period has reached.
func (r Reader) UsageReached(
	ctx context.Context, environmentID, subscriptionID string, periodIndex int,
) (map[string]bool, error) {
	keys, err := core.Queries.UsageCrossingList(ctx, r.Handle, dbsqlc.UsageCrossingListParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, PeriodIndex: periodIndex,
	})
	reached := make(map[string]bool, len(keys))
	for _, key := range keys {
		reached[key] = true
	}
	return reached, core.Translate("UsageCrossingList", err)
}
