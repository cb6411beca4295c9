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

// transactions answers a question of a metered price that depends on each record of a subscription: it reads the
// records of each period in the order of time, the next page while one is counted. It misses records that are written
// meanwhile before the current page: the next invoice bills them. Faults: those of metered.Counter.Take.
func (l *Log) transactions(
	ctx context.Context, environmentID, subscriptionID string, of usage.Metric, q *metered.Question, by Counting,
) ([]usage.Totals, error) {
	r := Reader{l.reads}
	salts, err := r.usageSalts(ctx, environmentID, of, subscriptionID)
	if err != nil {
		return nil, err
	}
	counter, seen := q.Counter(of), measure(of)
	pages := l.pages(environmentID, subscriptionID, q, by, counter)
	ahead := readAhead{Reader: r, limit: pages.rows(), alone: l.within}
	defer ahead.stop()
	var records []usage.Measured
	var counted time.Time // the end of the counted time
	for _, p := range q.Periods {
		next := dbsqlc.UsageRecordListParams{
			EnvironmentID: environmentID, SubscriptionID: subscriptionID, MetricID: of.ID, ToTime: p.Until(),
		}
		for from := later(p.Start, counted); from.Before(p.Until()); from = counted {
			next.FromTime = from
			page, err := ahead.page(ctx, next)
			if err != nil {
				return nil, err
			}
			if next.FromTime = page.to; page.to.Before(p.Until()) {
				ahead.begin(ctx, next)
			}
			if records, err = seen.page(records[:0], salts[subscriptionID], page.rows); err != nil {
				return nil, err
			}
			if err := counter.Take(records); err != nil {
				return nil, err
			}
			if counted, err = pages.turn(ctx, len(records), page.to); err != nil {
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

// recordPage has the first records from a time on, and the time up to which these are all.
type recordPage struct {
	rows []dbsqlc.UsageRecordListRow
	to   time.Time
	err  error
}

// recordPage reads a page with a maximum of records. A correction has the time of its record, so records of one time
// are never divided. Those at the time where the page ends are read with the next page or, if the page has no other
// time, with a longer one.
func (r Reader) recordPage(ctx context.Context, in dbsqlc.UsageRecordListParams, limit int) recordPage {
	for ; ; limit *= 2 {
		in.RowLimit = core.RowLimit(limit)
		rows, err := core.Queries.UsageRecordList(ctx, r.Handle, in)
		if err != nil || len(rows) < limit {
			return recordPage{rows, in.ToTime, core.Translate("UsageRecordList", err)}
		}
		last := rows[len(rows)-1].At
		cut := slices.IndexFunc(rows, func(row dbsqlc.UsageRecordListRow) bool { return row.At.Equal(last) })
		if cut > 0 {
			return recordPage{rows: rows[:cut], to: last}
		}
	}
}

// readAhead reads pages of records, the next one while the caller counts one: half of the time of a count is the
// database's. It has one page, and a connection only during a read.
type readAhead struct {
	Reader
	limit int
	alone bool // a page is read when it is needed: its connection takes one statement at a time
	next  dbsqlc.UsageRecordListParams
	read  chan recordPage // nil: no read is in progress
	leave context.CancelFunc
}

// begin starts the read of a page that may be needed next.
func (a *readAhead) begin(ctx context.Context, in dbsqlc.UsageRecordListParams) {
	if a.alone {
		return
	}
	ctx, a.leave = context.WithCancel(ctx)
	read := make(chan recordPage, 1)
	a.next, a.read = in, read
	go func() { read <- a.recordPage(ctx, in, a.limit) }()
}

// page returns the started page, if it is the needed one, or reads it.
func (a *readAhead) page(ctx context.Context, in dbsqlc.UsageRecordListParams) (recordPage, error) {
	if a.read == nil || a.next != in {
		a.stop() // an earlier count got further
		page := a.recordPage(ctx, in, a.limit)
		return page, page.err
	}
	page := <-a.read
	a.read = nil
	a.leave()
	return page, page.err
}

// stop ends the read of a page that is not needed.
func (a *readAhead) stop() {
	if a.read != nil {
		a.leave()
		<-a.read
		a.read = nil
	}
}
