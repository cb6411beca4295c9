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
// of each period in the order of time. What is recorded before the page that is read meanwhile is not seen: the next
// invoice bills it. Faults: those of metered.Counter.Take.
func (l *Log) transactions(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, q *metered.Question, by Counting,
) ([]usage.Totals, error) {
	r := Reader{l.reads}
	salts, err := r.usageSalts(ctx, environmentID, of, subscriptionID)
	if err != nil {
		return nil, err
	}
	counter, seen := q.Counter(of), &measuring{of: of}
	pages := l.pages(environmentID, subscriptionID, q, by, counter)
	var counted time.Time // up to when
	for _, p := range q.Periods {
		next := dbsqlc.UsageRecordListParams{
			EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricID: of.ID, ToTime: p.Until(),
		}
		for from := later(p.Start, counted); from.Before(p.Until()); from = counted {
			next.AfterAt = from
			records, to, err := r.recordsOf(ctx, seen, salts[subscriptionID], next, pages.rows())
			if err != nil {
				return nil, err
			}
			if err := counter.Take(records); err != nil {
				return nil, err
			}
			if counted, err = pages.turn(ctx, len(records), to); err != nil {
				return nil, err
			}
		}
	}
	return counter.Totals(), nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// recordsOf reads the first records from a time on, and returns up to when those are all. A correction has the time of
// its record, so that records of one time are never divided: those of a time that the page cuts are read with the next
// one, or, where the page has no other time, with a longer one.
func (r Reader) recordsOf(
	ctx context.Context, seen *measuring, salt []byte, in dbsqlc.UsageRecordListParams, page int,
) (records []usage.Measured, to time.Time, err error) {
	var rows []dbsqlc.UsageRecordListRow
	to = in.ToTime
	for limit := page; ; limit *= 2 {
		in.RowLimit = core.RowLimit(limit)
		if rows, err = core.Queries.UsageRecordList(ctx, r.Handle, in); err != nil {
			return nil, to, core.Translate("UsageRecordList", err)
		}
		if len(rows) < limit {
			break
		}
		last := rows[len(rows)-1].At
		cut := slices.IndexFunc(rows, func(row dbsqlc.UsageRecordListRow) bool { return row.At.Equal(last) })
		if cut > 0 {
			rows, to = rows[:cut], last
			break
		}
	}
	records = make([]usage.Measured, 0, len(rows))
	for _, row := range rows {
		if records, err = seen.add(records, salt, dbsqlc.UsageRecordPageRow(row)); err != nil {
			return nil, to, err
		}
	}
	return records, to, nil
}
