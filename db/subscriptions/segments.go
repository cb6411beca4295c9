package subscriptions

import (
	"context"
	"time"

	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/proration"
	"perennial/billing/usage"
	"perennial/db/catalog"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// Segments reads the segments of a subscription that ended by then, in the order of time, and from which on an invoice
// may bill any: later records of those before were refused, or are on the invoice before.
func (r Reader) Segments(
	ctx context.Context, environmentID, subscriptionID string, until time.Time,
) (all []metering.Segment, from int, err error) {
	billed, err := core.Queries.UsageBilledUntil(ctx, r.Handle, dbsqlc.UsageBilledUntilParams{
		EnvironmentID: environmentID, SubscriptionID: &subscriptionID,
	})
	if err != nil {
		return nil, 0, core.Translate("UsageBilledUntil", err)
	}
	rows, err := core.Queries.UsageSegmentList(ctx, r.Handle, dbsqlc.UsageSegmentListParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, EndedBy: until,
	})
	if err != nil {
		return nil, 0, core.Translate("UsageSegmentList", err)
	}
	for i, row := range rows {
		if s := row.UsageSegment; !s.EndedAt.Add(usage.MaxAge).After(billed) {
			from = i + 1
		}
		all = append(all, segmentFromDB(row.UsageSegment))
	}
	return all, from, nil
}

func segmentFromDB(row dbsqlc.UsageSegment) metering.Segment {
	return metering.Segment{
		Plan: catalog.PlanRef(row.PlanID), PeriodIndex: row.PeriodIndex, Start: row.StartedAt, End: row.EndedAt,
		Share:        metered.Share{Span: proration.Span{From: row.ShareFrom, To: row.ShareTo, Length: row.ShareLength}},
		Measure:      proration.Measure(row.ShareMeasure),
		PeriodLength: time.Duration(row.PeriodSeconds) * time.Second, Discounts: core.Value(row.Discounts),
	}
}
