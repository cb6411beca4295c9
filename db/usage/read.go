package usage

import (
	"context"
	"slices"
	"time"

	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// allPositions is above every position of a record.
const allPositions = 1<<63 - 1

// UsageSeries reads the totals of a subscription's records for each of some periods, which are in the order of time and
// do not overlap, by dimensions of the metric. See UsageSeriesBy.
func (l *Log) UsageSeries(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span, by []string,
) ([]usage.Totals, error) {
	return l.totals(ctx, seriesPart{
		environmentID: environmentID, subscriptionID: subscriptionID, of: of, tally: of.Tally(periods, of.Keep(by)),
		undivided: addsUp(of) && len(by) == 0,
	}, periods)
}

// UsageSeriesBy is UsageSeries by other groups than dimensions: it merges states by group, not quantities. It reads
// hours within one period as aggregates, and other hours and later records as records. Each record that was committed
// before the call counts exactly once, also during a merge: aggregates are read with their position, and later records
// afterwards. It reads the time between periods too, because a call for each period would cost three or four more round
// trips. It returns errors of regroup unchanged.
func (l *Log) UsageSeriesBy(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, periods []usage.Span,
	regroup usage.Regroup,
) ([]usage.Totals, error) {
	return l.totals(ctx, seriesPart{
		environmentID: environmentID, subscriptionID: subscriptionID, of: of, tally: of.Tally(periods, regroup),
	}, periods)
}

// addsUp reports whether the database can add up the dimensions of an hour.
func addsUp(of usage.Metric) bool { return len(of.GroupBy) > 0 && of.Aggregation.Adds() }

// totals counts a series without pauses between its parts.
func (l *Log) totals(ctx context.Context, p seriesPart, periods []usage.Span) ([]usage.Totals, error) {
	p.rows = seriesPage
	goOn := func(_ context.Context, _ int, to time.Time) (time.Time, error) { return to, nil }
	if err := l.series(ctx, p, periods, goOn); err != nil {
		return nil, err
	}
	return p.tally.Totals(), nil
}

// turn is called after a part of a count, with its number of rows and its end, and returns the time to continue from.
type turn func(ctx context.Context, rows int, to time.Time) (time.Time, error)

// series adds a series to a tally, part by part: each part has at least this many rows, if there are as many.
func (l *Log) series(ctx context.Context, p seriesPart, periods []usage.Span, after turn) error {
	p.Reader = Reader{l.reads}
	from, to := periods[0].Start, periods[len(periods)-1].Until()
	if p.of.Carries() {
		from = time.Time{}
	}
	salts, err := p.usageSalts(ctx, p.environmentID, p.of, p.subscriptionID)
	if err != nil {
		return err
	}
	p.salt, p.split, p.seen = salts[p.subscriptionID], usage.SplitHours(periods), measure(p.of)
	for from.Before(to) {
		counted, until, err := p.count(ctx, from, to)
		if err != nil {
			return err
		}
		if from, err = after(ctx, counted, until); err != nil {
			return err
		}
	}
	return nil
}

// seriesPage bounds the rows of one statement, unless one hour has more. A part of a series has whole hours, so that a
// correction is in the part of its record.
const seriesPage = 10_000

// seriesHours bounds the hours of one statement that adds up their dimensions. It exceeds the hours of a month.
const seriesHours = 1_000

// seriesPart counts a series part by part, in the order of time. Each part is read at its own moment; records of
// different parts are independent.
type seriesPart struct {
	Reader
	environmentID, subscriptionID string
	of                            usage.Metric
	salt                          []byte
	split                         map[time.Time]bool
	tally                         *usage.Tally
	rows                          int // of one statement, unless one hour has more
	seen                          *measuring
	undivided                     bool // dimensions do not matter, and the aggregation adds up
}

// count counts from a time on, at most up to another, and returns the number of rows and their end.
func (p seriesPart) count(ctx context.Context, from, to time.Time) (int, time.Time, error) {
	buckets, position, to, err := p.buckets(ctx, dbsqlc.UsageAggregateListParams{
		EnvironmentID: p.environmentID, SubscriptionID: p.subscriptionID, VersionID: p.of.VersionID(),
		FromHour: usage.Hour(from), ToTime: to,
	})
	if err != nil {
		return 0, to, err
	}
	tail, to, err := p.usageTail(ctx, dbsqlc.UsageTailOfParams{
		EnvironmentID: p.environmentID, MetricID: p.of.ID, Position: position, SubscriptionID: p.subscriptionID,
		FromTime: from, ToTime: to,
	}, p.rows)
	if err != nil {
		return 0, to, err
	}
	again := map[time.Time]bool{} // hours that are counted from records
	for hour := range p.split {
		if !hour.Before(usage.Hour(from)) && hour.Before(to) {
			again[hour] = true
		}
	}
	// A correction may belong to an aggregated record: its hour is recounted.
	for _, row := range tail {
		if row.Corrects != nil {
			again[usage.Hour(row.At)] = true
		}
	}
	records, err := p.hours(ctx, again)
	if err != nil {
		return 0, to, err
	}
	for i := range tail {
		if again[usage.Hour(tail[i].At)] {
			continue
		}
		if records, err = p.seen.add(records, p.salt, (*dbsqlc.UsageRecordPageRow)(&tail[i])); err != nil {
			return 0, to, err
		}
	}
	whole := buckets[:0]
	for _, b := range buckets {
		if b.Hour.Before(to) && !again[b.Hour] {
			whole = append(whole, b)
		}
	}
	return len(whole) + len(records), to, p.tally.Take(whole, records)
}

// usageTail bounds the records of a metric, of all subscriptions, that are read by their position.
const usageTail = 5_000

// usageTail reads the records of a subscription after a position: from those of the metric, if they are few, or else
// the first ones of the subscription. to is the time up to which it returns all.
func (r Reader) usageTail(
	ctx context.Context, in dbsqlc.UsageTailOfParams, page int,
) (tail []dbsqlc.UsageTailOfRow, to time.Time, err error) {
	short, err := core.Queries.UsageTailList(ctx, r.Handle, dbsqlc.UsageTailListParams{
		EnvironmentID: in.EnvironmentID, MetricID: in.MetricID, Position: in.Position, SubscriptionID: in.SubscriptionID,
		FromTime: in.FromTime, ToTime: in.ToTime, RowLimit: usageTail + 1,
	})
	if err != nil {
		return nil, to, core.Translate("UsageTailList", err)
	}
	for _, row := range short {
		if row.Long {
			tail, to, err = firstHours(page, in.ToTime, func(limit int) ([]dbsqlc.UsageTailOfRow, error) {
				in.RowLimit = core.RowLimit(limit)
				return core.Queries.UsageTailOf(ctx, r.Handle, in)
			}, func(row dbsqlc.UsageTailOfRow) time.Time { return usage.Hour(row.At) })
			return tail, to, core.Translate("UsageTailOf", err)
		}
		if row.ID != nil {
			tail = append(tail, dbsqlc.UsageTailOfRow{
				ID: *row.ID, Corrects: row.Corrects, At: *row.At, Quantity: row.Quantity, Properties: row.Properties,
				Position: core.Value(row.Position),
			})
		}
	}
	return tail, in.ToTime, nil
}

// firstHours reads the first rows in the order of their hours, without an hour that the page divides. There may be
// other rows from to on. If a page is within one hour, it reads twice as many.
func firstHours[T any](
	page int, end time.Time, read func(limit int) ([]T, error), hour func(T) time.Time,
) (rows []T, to time.Time, err error) {
	for limit := page; ; limit *= 2 {
		rows, err = read(limit)
		if err != nil || len(rows) < limit {
			return rows, end, err
		}
		last := hour(rows[len(rows)-1])
		if of := slices.IndexFunc(rows, func(row T) bool { return hour(row).Equal(last) }); of > 0 {
			return rows[:of], last, nil
		}
	}
}

// buckets reads the first aggregates of a span. to is the time up to which it returns all.
func (p seriesPart) buckets(
	ctx context.Context, in dbsqlc.UsageAggregateListParams,
) (buckets []usage.Bucket, position int64, to time.Time, err error) {
	page := p.rows
	if p.undivided {
		page = min(page, seriesHours)
	}
	rows, to, err := firstHours(page, in.ToTime, func(limit int) ([]dbsqlc.UsageAggregateListRow, error) {
		in.RowLimit = core.RowLimit(limit)
		if p.undivided {
			sums, err := core.Queries.UsageAggregateSums(ctx, p.Handle, dbsqlc.UsageAggregateSumsParams(in))
			return core.Map(sums, func(row dbsqlc.UsageAggregateSumsRow) dbsqlc.UsageAggregateListRow {
				return dbsqlc.UsageAggregateListRow{Position: row.Position, Bucket: row.Bucket, State: row.State}
			}), err
		}
		return core.Queries.UsageAggregateList(ctx, p.Handle, in)
	}, func(row dbsqlc.UsageAggregateListRow) time.Time { return row.Bucket })
	if err != nil {
		return nil, 0, to, core.Translate("UsageAggregateList", err)
	}
	for _, row := range rows {
		if position = row.Position; row.State == nil {
			continue
		}
		state, err := p.of.Aggregation.Read(row.State)
		if err != nil {
			return nil, 0, to, err
		}
		buckets = append(buckets, usage.Bucket{Hour: row.Bucket, Group: usage.Group(row.Dimension), State: state})
	}
	return buckets, position, to, nil
}

// hours reads all records of some hours.
func (p seriesPart) hours(ctx context.Context, hours map[time.Time]bool) ([]usage.Measured, error) {
	if len(hours) == 0 {
		return nil, nil
	}
	in := dbsqlc.UsageHourListParams{EnvironmentID: p.environmentID, MetricID: p.of.ID, Position: allPositions}
	for hour := range hours {
		in.SubscriptionIds, in.Hours = append(in.SubscriptionIds, p.subscriptionID), append(in.Hours, hour)
	}
	rows, err := core.Queries.UsageHourList(ctx, p.Handle, in)
	if err != nil {
		return nil, core.Translate("UsageHourList", err)
	}
	records := make([]usage.Measured, 0, len(rows))
	for _, row := range rows {
		records, err = p.seen.add(records, p.salt, &dbsqlc.UsageRecordPageRow{
			ID: row.ID, Corrects: row.Corrects, At: row.At, Quantity: row.Quantity, Properties: row.Properties,
			Position: row.Position,
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}
