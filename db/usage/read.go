package usage

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// allPositions is above every position of a record.
const allPositions = 1<<63 - 1

// UsageSeries reads what the records of a subscription come to in periods that follow each other: hours that lie within
// one period from their aggregates, the others, and what is not aggregated yet, from records. Each record that was
// committed before the call counts exactly once, whatever is aggregated meanwhile: aggregates are read with how far
// they are, and the records behind that afterwards.
func (l *Log) UsageSeries(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span, by []string,
) ([]usage.Totals, error) {
	r := Reader{l.store.Reads()}
	from, to, split := periods[0].Start, periods[len(periods)-1].End, usage.SplitHours(periods)
	if of.Carries() {
		from = time.Time{}
	}
	buckets, position, err := r.usageBuckets(ctx, dbsqlc.UsageAggregateListParams{
		EnvironmentID: environmentID, SubscriptionID: subscriptionID, VersionID: of.VersionID(), FromHour: usage.Hour(from),
		ToTime: to,
	}, of)
	if err != nil {
		return nil, err
	}
	tail, err := r.usageTail(ctx, dbsqlc.UsageTailOfParams{
		EnvironmentID: environmentID, MetricID: of.ID, Position: position, SubscriptionID: subscriptionID, FromTime: from,
		ToTime: to,
	})
	if err != nil {
		return nil, err
	}
	salts, err := r.usageSalts(ctx, environmentID, of, subscriptionID)
	if err != nil {
		return nil, err
	}
	// A correction may be of a record that is aggregated: its hour is counted anew.
	for _, row := range tail {
		if row.Corrects != nil {
			split[usage.Hour(row.At)] = true
		}
	}
	var records []usage.Measured
	for _, row := range tail {
		if !split[usage.Hour(row.At)] {
			if records, err = measured(records, of, salts[subscriptionID], dbsqlc.UsageRecordPageRow(row)); err != nil {
				return nil, err
			}
		}
	}
	hours, err := r.usageHours(ctx, environmentID, subscriptionID, of, salts[subscriptionID], split)
	if err != nil {
		return nil, err
	}
	var whole []usage.Bucket
	for _, b := range buckets {
		if !split[b.Hour] {
			whole = append(whole, b)
		}
	}
	return of.Series(periods, by, whole, append(records, hours...)), nil
}

// usageTail bounds the records of a metric, of all subscriptions, that are read by their position.
const usageTail = 5_000

// usageTail reads the records of a subscription behind a position: among those of the metric, while they are few, else
// among those of the subscription.
func (r Reader) usageTail(ctx context.Context, in dbsqlc.UsageTailOfParams) ([]dbsqlc.UsageTailOfRow, error) {
	short, err := core.Queries.UsageTailList(ctx, r.Handle, dbsqlc.UsageTailListParams{
		EnvironmentID: in.EnvironmentID, MetricID: in.MetricID, Position: in.Position, SubscriptionID: in.SubscriptionID,
		FromTime: in.FromTime, ToTime: in.ToTime, RowLimit: usageTail + 1,
	})
	if err != nil {
		return nil, core.Translate("UsageTailList", err)
	}
	var tail []dbsqlc.UsageTailOfRow
	for _, row := range short {
		if row.Long {
			tail, err = core.Queries.UsageTailOf(ctx, r.Handle, in)
			return tail, core.Translate("UsageTailOf", err)
		}
		if row.ID != nil {
			tail = append(tail, dbsqlc.UsageTailOfRow{
				ID: *row.ID, Corrects: row.Corrects, At: *row.At, Quantity: row.Quantity, Properties: row.Properties,
				Position: core.Value(row.Position),
			})
		}
	}
	return tail, nil
}

func (r Reader) usageBuckets(
	ctx context.Context, in dbsqlc.UsageAggregateListParams, of usage.Metric,
) (buckets []usage.Bucket, position int64, err error) {
	rows, err := core.Queries.UsageAggregateList(ctx, r.Handle, in)
	if err != nil {
		return nil, 0, core.Translate("UsageAggregateList", err)
	}
	for _, row := range rows {
		if position = row.Position; row.Bucket == nil {
			continue
		}
		state, err := of.Aggregation.Read(row.State)
		if err != nil {
			return nil, 0, err
		}
		buckets = append(buckets, usage.Bucket{Hour: *row.Bucket, Group: usage.Group(core.Value(row.Dimension)),
			State: state})
	}
	return buckets, position, nil
}

// usageHours reads all records of some hours.
func (r Reader) usageHours(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, salt []byte, hours map[time.Time]bool,
) (records []usage.Measured, err error) {
	if len(hours) == 0 {
		return nil, nil
	}
	in := dbsqlc.UsageHourListParams{EnvironmentID: environmentID, MetricID: of.ID, Position: allPositions}
	for hour := range hours {
		in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, subscriptionID), append(in.Hours, hour)
	}
	rows, err := core.Queries.UsageHourList(ctx, r.Handle, in)
	if err != nil {
		return nil, core.Translate("UsageHourList", err)
	}
	for _, row := range rows {
		records, err = measured(records, of, salt, dbsqlc.UsageRecordPageRow{
			ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
			Position: row.Position,
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}

// measured appends a row as the metric sees it, if it does.
func measured(
	to []usage.Measured, of usage.Metric, salt []byte, row dbsqlc.UsageRecordPageRow,
) ([]usage.Measured, error) {
	record := usage.Record{
		ID: row.ID, Position: row.Position, Metric: of.Name, At: row.At, Corrects: core.Value(row.Corrects),
		Salt: salt,
	}
	var err error
	if record.Quantity, err = money.ReadDecimal(row.Quantity); err != nil {
		return to, err
	}
	if record.Properties, err = propertiesFromDB(row.Properties); err != nil {
		return to, err
	}
	if m, counts := of.Measure(record); counts {
		to = append(to, m)
	}
	return to, nil
}
