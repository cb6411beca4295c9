package usage

import (
	"context"
	"slices"
	"time"

	"perennial/billing/metered"
	"perennial/billing/usage"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// transactions answers a question of a metered price that looks at each record of a subscription: it reads the records
// of each period in the order of time. What is recorded behind the page that is read meanwhile is not seen: the next
// invoice bills it. Faults: those of metered.Counter.Take.
func (l *Log) transactions(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, q *metered.Question, beat func(),
) ([]usage.Totals, error) {
	r := Reader{l.reads}
	salts, err := r.usageSalts(ctx, environmentID, of, subscriptionID)
	if err != nil {
		return nil, err
	}
	counter := q.Counter(of)
	for _, p := range q.Periods {
		next := dbsqlc.UsageRecordListParams{
			EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricID: of.ID,
			AfterAt: p.Start, ToTime: p.Until(), RowLimit: core.RowLimit(seriesPage),
		}
		for more := true; more; beat() {
			var records []usage.Measured
			if records, more, err = r.recordsOf(ctx, of, salts[subscriptionID], &next); err != nil {
				return nil, err
			}
			if err := counter.Take(records); err != nil {
				return nil, err
			}
		}
	}
	return counter.Totals(), nil
}

// recordsOf reads the next records, and moves next behind them. A correction has the time of its record, so that
// records of one time are never divided: those of a time that the page cuts are read with the next one, or, where the
// page has no other time, with a longer one.
func (r Reader) recordsOf(
	ctx context.Context, of usage.Metric, salt []byte, next *dbsqlc.UsageRecordListParams,
) (records []usage.Measured, more bool, err error) {
	in := *next
	var rows []dbsqlc.UsageRecordListRow
	for limit := seriesPage; ; limit *= 2 {
		in.RowLimit = core.RowLimit(limit)
		if rows, err = core.Queries.UsageRecordList(ctx, r.Handle, in); err != nil {
			return nil, false, core.Translate("UsageRecordList", err)
		}
		if more = len(rows) == limit; !more {
			break
		}
		last := rows[len(rows)-1].At
		cut := slices.IndexFunc(rows, func(row dbsqlc.UsageRecordListRow) bool { return row.At.Equal(last) })
		if cut > 0 {
			rows = rows[:cut]
			break
		}
	}
	for _, row := range rows {
		if records, err = measured(records, of, salt, dbsqlc.UsageRecordPageRow(row)); err != nil {
			return nil, false, err
		}
	}
	if len(rows) > 0 {
		next.AfterAt, next.AfterID = afterAll(rows[len(rows)-1].At), ""
	}
	return records, more, nil
}

// afterAll is behind each record of a time: the database keeps microseconds.
func afterAll(at time.Time) time.Time { return at.Add(time.Microsecond) }
