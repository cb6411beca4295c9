package usage

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// hourOf is one hour of one subscription.
type hourOf struct {
	subscriptionID string
	hour           time.Time
}

// aggregate is one row of usage_aggregates.
type aggregate struct {
	first int64 // position
	state usage.State
}

// aggregates are rows of one metric version, by hour and dimension.
type aggregates map[hourOf]map[usage.Group]*aggregate

func (a aggregates) add(h hourOf, to usage.Metric, one usage.Measured) {
	if a[h] == nil {
		a[h] = map[usage.Group]*aggregate{}
	}
	row := a[h][one.Group]
	if row == nil {
		row = &aggregate{first: one.Position, state: to.Aggregation.New()}
		a[h][one.Group] = row
	}
	row.first = min(row.first, one.Position)
	row.state.Add(one)
}

// Behind lists metric versions with records that are not aggregated yet. Global: every process that aggregates.
func (r Reader) Behind(ctx context.Context, limit int) ([]core.Ref, error) {
	found, err := core.Queries.UsageBehind(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.UsageBehindRow) core.Ref {
		return core.Ref{EnvironmentID: f.EnvironmentID, ID: f.VersionID}
	}), core.Translate("UsageBehind", err)
}

// VersionsNamed lists all versions of the metrics with these names.
func (r Reader) VersionsNamed(ctx context.Context, environmentID string, names []string) ([]core.Ref, error) {
	found, err := core.Queries.UsageVersionsNamed(ctx, r.Handle,
		dbsqlc.UsageVersionsNamedParams{EnvironmentID: environmentID, Names: names})
	return core.Map(found, func(id string) core.Ref { return core.Ref{EnvironmentID: environmentID, ID: id} }),
		core.Translate("UsageVersionsNamed", err)
}

// RollUp merges the next records of a metric, at most limit, into the aggregates of one of its versions, and returns
// their number. It does nothing while another transaction does it. It takes records in the order of their positions up
// to the horizon, below which no more can appear, so that each is merged once. It recounts hours with corrections from
// all their records so far.
func (tx *Tx) RollUp(ctx context.Context, version core.Ref, limit int) (int, error) {
	row, err := core.Queries.UsageProgressLock(ctx, tx.Pipe,
		dbsqlc.UsageProgressLockParams{EnvironmentID: version.EnvironmentID, VersionID: version.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, core.Translate("UsageProgressLock", err)
	}
	of := MetricFromDB(row.Metric)
	horizon, err := core.Queries.UsageHorizon(ctx, tx.Pipe, version.EnvironmentID)
	if err != nil {
		return 0, core.Translate("UsageHorizon", err)
	}
	page, err := core.Queries.UsageTailPage(ctx, tx.Pipe, dbsqlc.UsageTailPageParams{
		EnvironmentID: version.EnvironmentID, MetricID: of.ID, AfterPosition: row.Position, Horizon: horizon,
		RowLimit: core.RowLimit(limit),
	})
	if err != nil || len(page) == 0 && !row.CatchingUp {
		return 0, core.Translate("UsageTailPage", err)
	}
	through := row.Position
	if len(page) > 0 {
		through = page[len(page)-1].Position
		if err := tx.mergeUsage(ctx, version, of, page, through); err != nil {
			return 0, err
		}
	}
	return len(page), core.Queries.UsageProgressSave(ctx, tx.Pipe, dbsqlc.UsageProgressSaveParams{
		EnvironmentID: version.EnvironmentID, VersionID: version.ID, Position: through, More: len(page) == limit,
	})
}

func (tx *Tx) mergeUsage(
	ctx context.Context, version core.Ref, of usage.Metric, page []dbsqlc.UsageTailPageRow, through int64,
) error {
	anew, subscriptions := map[hourOf]bool{}, map[string]bool{}
	for _, row := range page {
		if subscriptions[row.SubscriptionID] = true; row.Corrects != nil {
			anew[hourOf{row.SubscriptionID, usage.Hour(row.At)}] = true
		}
	}
	salts, err := tx.usageSalts(ctx, version.EnvironmentID, of, slices.Collect(maps.Keys(subscriptions))...)
	if err != nil {
		return err
	}
	added, seen := aggregates{}, measure(of)
	var one []usage.Measured // or none
	for _, row := range page {
		h := hourOf{row.SubscriptionID, usage.Hour(row.At)}
		if anew[h] {
			continue
		}
		one, err = seen.add(one[:0], salts[row.SubscriptionID], &dbsqlc.UsageRecordPageRow{
			ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
			Position: row.Position,
		})
		if err != nil {
			return err
		}
		for _, m := range one {
			added.add(h, of, m)
		}
	}
	if err := tx.joinUsageAggregates(ctx, version, of, added); err != nil {
		return err
	}
	if len(anew) > 0 {
		counted, err := tx.recountUsage(ctx, version.EnvironmentID, of, salts, anew, through)
		if err != nil {
			return err
		}
		if err := tx.deleteUsageAggregates(ctx, version, anew); err != nil {
			return err
		}
		for h, groups := range counted {
			added[h] = groups
		}
	}
	if err := tx.Touch(ctx, version.EnvironmentID, slices.Sorted(maps.Keys(subscriptions))...); err != nil {
		return err
	}
	return tx.saveUsageAggregates(ctx, version, added)
}

// joinUsageAggregates merges the present rows of the same hours and dimensions into the added ones. It neither reads
// nor writes other dimensions of an hour.
func (tx *Tx) joinUsageAggregates(ctx context.Context, version core.Ref, of usage.Metric, added aggregates) error {
	in := dbsqlc.UsageAggregateGetParams{EnvironmentID: version.EnvironmentID, VersionID: version.ID}
	for h, groups := range added {
		for group := range groups {
			in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, h.subscriptionID), append(in.Hours, h.hour)
			in.Dimensions = append(in.Dimensions, string(group))
		}
	}
	if len(in.Hours) == 0 {
		return nil
	}
	rows, err := core.Queries.UsageAggregateGet(ctx, tx.Pipe, in)
	if err != nil {
		return core.Translate("UsageAggregateGet", err)
	}
	for _, row := range rows {
		state, err := of.Aggregation.Read(row.State)
		if err != nil {
			return err
		}
		one := added[hourOf{row.SubscriptionID, row.Bucket}][usage.Group(row.Dimension)]
		one.state.Merge(state)
		one.first = min(one.first, row.FirstPosition)
	}
	return nil
}

// recountUsage counts hours from their records up to a position.
func (tx *Tx) recountUsage(
	ctx context.Context, environmentID string, of usage.Metric, salts map[string][]byte, hours map[hourOf]bool,
	through int64,
) (aggregates, error) {
	in := dbsqlc.UsageHourListParams{EnvironmentID: environmentID, MetricID: of.ID, Position: through}
	for h := range hours {
		in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, h.subscriptionID), append(in.Hours, h.hour)
	}
	rows, err := core.Queries.UsageHourList(ctx, tx.Pipe, in)
	if err != nil {
		return nil, core.Translate("UsageHourList", err)
	}
	records, seen := map[hourOf][]usage.Measured{}, measure(of)
	for _, row := range rows {
		h := hourOf{row.SubscriptionID, usage.Hour(row.At)}
		records[h], err = seen.add(records[h], salts[row.SubscriptionID], &dbsqlc.UsageRecordPageRow{
			ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
			Position: row.Position,
		})
		if err != nil {
			return nil, err
		}
	}
	counted := aggregates{}
	for h, all := range records {
		for _, one := range usage.Effective(all) {
			counted.add(h, of, one)
		}
	}
	return counted, nil
}

func (tx *Tx) deleteUsageAggregates(ctx context.Context, version core.Ref, hours map[hourOf]bool) error {
	in := dbsqlc.UsageAggregateDeleteParams{EnvironmentID: version.EnvironmentID, VersionID: version.ID}
	for h := range hours {
		in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, h.subscriptionID), append(in.Hours, h.hour)
	}
	return core.Queries.UsageAggregateDelete(ctx, tx.Pipe, in)
}

func (tx *Tx) saveUsageAggregates(ctx context.Context, version core.Ref, all aggregates) error {
	in := dbsqlc.UsageAggregateSaveParams{EnvironmentID: version.EnvironmentID, VersionID: version.ID}
	for h, groups := range all {
		for group, row := range groups {
			state, err := json.Marshal(row.state)
			if err != nil {
				return err
			}
			in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, h.subscriptionID), append(in.Hours, h.hour)
			in.Dimensions, in.States = append(in.Dimensions, string(group)), append(in.States, string(state))
			in.FirstPositions = append(in.FirstPositions, row.first)
		}
	}
	if len(in.States) == 0 {
		return nil
	}
	return core.Queries.UsageAggregateSave(ctx, tx.Pipe, in)
}
