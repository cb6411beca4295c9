package core

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// IDsAround returns the ids between which every row of a prefix lies that was written in a span of time; a zero time
// leaves that end open.
func IDsAround(prefix string, from, to time.Time) (first, end string) {
	end = prefix + strings.Repeat("z", 26) // the last one
	if !from.IsZero() {
		first = id.Earliest(prefix, from.Add(-RecordingSlack))
	}
	if !to.IsZero() {
		end = id.Earliest(prefix, to.Add(RecordingSlack))
	}
	return first, end
}

// RecordingSlack is the difference that the order of positions and that of recording times may have, because of
// processes whose clocks differ, and long transactions. A page bounded by time reads that many events around it in
// vain.
const RecordingSlack = time.Minute

// Page is a piece of a list, newest first. The cursors are IDs of its rows: StartingAfter continues to older rows,
// EndingBefore goes back to newer ones. A cursor that a page gave is safe to follow: no row appears behind it later.
type Page struct {
	Limit         int // 0: 20
	StartingAfter string
	EndingBefore  string
	// Unsettled includes rows before which an older one may still appear. It is for reads that act on everything; their
	// cursors are not safe to follow.
	Unsettled bool
}

const (
	defaultLimit = 20
	// A row is settled when every older one is decided. A transaction that inserts takes a few milliseconds for that,
	// so a page waits this long for the rows that were there when it was asked for, its caller's own among them.
	settleWait = 100 * time.Millisecond
	settlePoll = 5 * time.Millisecond
)

func (p Page) limit() int {
	if p.Limit <= 0 {
		return defaultLimit
	}
	return p.Limit
}

// RowLimit asks for one row more than the page holds, which tells whether there are more.
func (p Page) RowLimit() int32 { return int32(p.limit() + 1) } // api bounds it to 100

// Forward reports whether rows are read oldest first, from the cursor on, and turned round afterwards.
func (p Page) Forward() bool { return p.EndingBefore != "" }

// Bounds are the positions between which the rows of a page lie.
type Bounds struct{ Above, Below int64 }

// Bounds finds the positions of a page in the lists of a scope: an environment, or a tenant for its apps. It is a
// statement of its own, because only a statement that begins after it sees every row up to the horizon. Fault:
// cursor_unknown.
func (r Reader) Bounds(ctx context.Context, scope string, page Page) (Bounds, error) {
	asked := dbsqlc.PageBoundsParams{Scope: scope, StartingAfter: page.StartingAfter, EndingBefore: page.EndingBefore}
	found, err := Queries.PageBounds(ctx, r.Handle, asked)
	if err != nil {
		return Bounds{}, Translate("PageBounds", err)
	}
	if err := page.unknown(found); err != nil {
		return Bounds{}, err
	}
	end := found.Last
	for waited := time.Duration(0); found.Horizon < end && !page.Unsettled && waited < settleWait; waited += settlePoll {
		select {
		case <-ctx.Done():
			return Bounds{}, Translate("PageBounds", ctx.Err())
		case <-time.After(settlePoll):
		}
		again, err := Queries.PageBounds(ctx, r.Handle, asked)
		if err != nil {
			return Bounds{}, Translate("PageBounds", err)
		}
		found.Horizon = min(again.Horizon, end)
	}
	b := Bounds{Above: found.Above, Below: found.Horizon + 1}
	if page.Unsettled {
		b.Below = math.MaxInt64
	}
	if page.StartingAfter != "" {
		b.Below = min(b.Below, found.Below)
	}
	return b, nil
}

// unknown refuses a cursor that names no row: to begin anywhere else would repeat or lose rows in silence.
func (p Page) unknown(found dbsqlc.PageBoundsRow) error {
	const detail = "The cursor does not exist in this list. Send the id of an entry that the list returned."
	switch {
	case p.StartingAfter != "" && found.Below == 0:
		return fault.InvalidParam("startingAfter", "cursor_unknown", detail)
	case p.EndingBefore != "" && found.Above == 0:
		return fault.InvalidParam("endingBefore", "cursor_unknown", detail)
	}
	return nil
}

// Lists is the handle for lists. A list has one statement for all filters and directions, whose plan is good only if it
// is made for the values at hand; a prepared statement may change to a plan for any values, which reads everything.
func (r Reader) Lists() dbsqlc.DBTX {
	if _, inTx := r.Handle.(*Pipe); inTx {
		return r.Handle
	}
	return planned{r.Handle}
}

// planned has each of its queries planned with its parameters.
type planned struct{ dbsqlc.DBTX }

func (p planned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.DBTX.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// Cut makes a page of the rows read.
func Cut[R, T any](p Page, rows []R, from func(R) T) (items []T, hasMore bool) {
	if hasMore = len(rows) > p.limit(); hasMore {
		rows = rows[:p.limit()]
	}
	items = make([]T, 0, len(rows))
	for _, row := range rows {
		items = append(items, from(row))
	}
	if p.Forward() {
		slices.Reverse(items)
	}
	return items, hasMore
}

// RowLimit makes a row limit of a count.
func RowLimit(limit int) int32 { return int32(min(max(limit, 0), math.MaxInt32)) }

// Map converts each row.
func Map[R, T any](rows []R, from func(R) T) []T {
	all := make([]T, 0, len(rows))
	for _, row := range rows {
		all = append(all, from(row))
	}
	return all
}

// BacklogAtMost is the figure at which counts of a backlog stop.
const BacklogAtMost = 10_000
