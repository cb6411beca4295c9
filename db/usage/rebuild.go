package usage

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// RebuiltUsage is the result of recounting a subscription's records.
type RebuiltUsage struct {
	Records   int // counted records
	Hours     int // their hours
	Different int // hours whose aggregates differed from their records
	Kept      int // hours with deleted records, which cannot be recounted
}

// Add adds another result.
func (r *RebuiltUsage) Add(other RebuiltUsage) {
	r.Records, r.Hours = r.Records+other.Records, r.Hours+other.Hours
	r.Different, r.Kept = r.Different+other.Different, r.Kept+other.Kept
}

// Versions lists all metric versions, of one environment or, where it is empty, of all. Global: rebuilding.
func (r Reader) Versions(ctx context.Context, environmentID string) ([]core.Ref, error) {
	rows, err := core.Queries.UsageVersionList(ctx, r.Handle, core.Null(environmentID))
	return core.Map(rows, func(f dbsqlc.UsageVersionListRow) core.Ref {
		return core.Ref{EnvironmentID: f.EnvironmentID, ID: f.ID}
	}), core.Translate("UsageVersionList", err)
}

// Subscriptions lists subscriptions with usage of a metric version, in the order of their ids, without those of erased
// customers: the counted properties of their records are erased.
func (r Reader) Subscriptions(ctx context.Context, version core.Ref, after string, limit int) ([]string, error) {
	metricID, _ := usage.SplitVersionID(version.ID)
	ids, err := core.Queries.UsageSubscriptionList(ctx, r.Handle, dbsqlc.UsageSubscriptionListParams{
		EnvironmentID: version.EnvironmentID, AfterID: after, VersionID: version.ID, MetricID: metricID,
		RowLimit: core.RowLimit(limit),
	})
	return ids, core.Translate("UsageSubscriptionList", err)
}

// Rebuild recounts all records of a subscription that are in the aggregates of a metric version, and compares. It
// replaces different aggregates, unless dry.
func (tx *Tx) Rebuild(ctx context.Context, version core.Ref, subscriptionID string, dry bool) (RebuiltUsage,
	error) {
	var out RebuiltUsage
	row, err := core.Queries.UsageProgressWait(ctx, tx.Pipe,
		dbsqlc.UsageProgressWaitParams{EnvironmentID: version.EnvironmentID, VersionID: version.ID})
	if err != nil {
		return out, core.Translate("UsageProgressWait", err)
	}
	of := MetricFromDB(row.Metric)
	oldest, err := core.Queries.UsageOldestPosition(ctx, tx.Pipe,
		dbsqlc.UsageOldestPositionParams{EnvironmentID: version.EnvironmentID, MetricID: of.ID})
	if err != nil {
		return out, core.Translate("UsageOldestPosition", err)
	}
	counted, err := tx.countUsage(ctx, version.EnvironmentID, subscriptionID, of, row.Position, &out)
	if err != nil {
		return out, err
	}
	stored, err := tx.storedUsage(ctx, version, subscriptionID, of)
	if err != nil {
		return out, err
	}
	wrong, right := map[hourOf]bool{}, aggregates{}
	for h, groups := range stored {
		switch same, err := sameUsage(groups, counted[h]); {
		case err != nil:
			return out, err
		case firstOf(groups) < oldest:
			out.Kept++
		case !same:
			wrong[h], right[h] = true, counted[h]
		}
	}
	for h, groups := range counted {
		if stored[h] == nil {
			wrong[h], right[h] = true, groups
		}
	}
	if out.Different = len(wrong); dry || len(wrong) == 0 {
		return out, nil
	}
	if err := tx.deleteUsageAggregates(ctx, version, wrong); err != nil {
		return out, err
	}
	return out, tx.saveUsageAggregates(ctx, version, right)
}

const rebuildPage = 10_000

// countUsage counts all records of a subscription up to a position, hour by hour.
func (tx *Tx) countUsage(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, through int64, out *RebuiltUsage,
) (aggregates, error) {
	salts, err := tx.usageSalts(ctx, environmentID, of, subscriptionID)
	if err != nil {
		return nil, err
	}
	counted, seen := aggregates{}, measure(of)
	var hour hourOf
	var records []usage.Measured
	end := func() {
		for _, one := range usage.Effective(records) {
			counted.add(hour, of, one)
		}
		records = records[:0]
	}
	in := dbsqlc.UsageRecordPageParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricID: of.ID, Position: through,
		RowLimit: rebuildPage,
		AfterAt:  time.Time{},
	}
	for {
		page, err := core.Queries.UsageRecordPage(ctx, tx.Pipe, in)
		if err != nil {
			return nil, core.Translate("UsageRecordPage", err)
		}
		for _, row := range page {
			if h := (hourOf{subscriptionID, usage.Hour(row.At)}); h != hour {
				end()
				hour = h
				out.Hours++
			}
			records, err = seen.add(records, salts[subscriptionID], &dbsqlc.UsageRecordPageRow{
				ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
				Position: row.Position,
			})
			if err != nil {
				return nil, err
			}
			in.AfterAt, in.AfterID = row.At, row.ID
		}
		if out.Records += len(page); len(page) < rebuildPage {
			end()
			return counted, nil
		}
	}
}

// storedUsage reads all aggregates of a subscription.
func (tx *Tx) storedUsage(
	ctx context.Context, version core.Ref, subscriptionID string, of usage.Metric,
) (aggregates, error) {
	rows, err := core.Queries.UsageAggregateOf(ctx, tx.Pipe, dbsqlc.UsageAggregateOfParams{
		EnvironmentID: version.EnvironmentID, SubscriptionID: subscriptionID, VersionID: version.ID,
	})
	if err != nil {
		return nil, core.Translate("UsageAggregateOf", err)
	}
	stored := aggregates{}
	for _, row := range rows {
		state, err := of.Aggregation.Read(row.State)
		if err != nil {
			return nil, err
		}
		h := hourOf{subscriptionID, row.Bucket}
		if stored[h] == nil {
			stored[h] = map[usage.Group]*aggregate{}
		}
		stored[h][usage.Group(row.Dimension)] = &aggregate{first: row.FirstPosition, state: state}
	}
	return stored, nil
}

func firstOf(groups map[usage.Group]*aggregate) int64 {
	first := int64(allPositions)
	for _, row := range groups {
		first = min(first, row.first)
	}
	return first
}

// sameUsage compares encoded states, which are equal for equal states.
func sameUsage(a, b map[usage.Group]*aggregate) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for group, one := range a {
		other := b[group]
		if other == nil {
			return false, nil
		}
		first, err := json.Marshal(one.state)
		if err != nil {
			return false, err
		}
		second, err := json.Marshal(other.state)
		if err != nil || !bytes.Equal(first, second) {
			return false, err
		}
	}
	return true, nil
}
