package db

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/fault"
	"perennial/db/internal/dbsqlc"
)

// Page is a piece of a list, newest first. The cursors are IDs of its rows: StartingAfter continues to older rows,
// EndingBefore goes back to newer ones. A cursor that a page gave is safe to follow: no row appears behind it later.
type Page struct {
	Limit         int // 0: 20
	StartingAfter string
	EndingBefore  string
	// Unsettled includes rows beside which an older one may still appear. For reads that act on all there is; their
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

// rowLimit asks for one row more than the page holds, which tells whether there are more.
func (p Page) rowLimit() int32 { return int32(p.limit() + 1) } // api bounds it to 100

// forward: rows are read oldest first, from the cursor on, and turned round afterwards.
func (p Page) forward() bool { return p.EndingBefore != "" }

// bounds are the positions between which the rows of a page lie.
type bounds struct{ above, below int64 }

// bounds finds the positions of a page in the lists of a scope: an environment, or a tenant for its apps. It is a
// statement of its own, because only a statement that begins after it sees every row up to the horizon. Fault:
// cursor_unknown.
func (r Reader) bounds(ctx context.Context, scope string, page Page) (bounds, error) {
	asked := dbsqlc.PageBoundsParams{Scope: scope, StartingAfter: page.StartingAfter, EndingBefore: page.EndingBefore}
	found, err := queries.PageBounds(ctx, r.handle, asked)
	if err != nil {
		return bounds{}, translate("PageBounds", err)
	}
	if err := page.unknown(found); err != nil {
		return bounds{}, err
	}
	end := found.Last
	for waited := time.Duration(0); found.Horizon < end && !page.Unsettled && waited < settleWait; waited += settlePoll {
		select {
		case <-ctx.Done():
			return bounds{}, translate("PageBounds", ctx.Err())
		case <-time.After(settlePoll):
		}
		again, err := queries.PageBounds(ctx, r.handle, asked)
		if err != nil {
			return bounds{}, translate("PageBounds", err)
		}
		found.Horizon = min(again.Horizon, end)
	}
	b := bounds{above: found.Above, below: found.Horizon + 1}
	if page.Unsettled {
		b.below = math.MaxInt64
	}
	if page.StartingAfter != "" {
		b.below = min(b.below, found.Below)
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

// lists is the handle for lists. A list has one statement for all filters and directions, whose plan is good only if it
// is made for the values at hand; a prepared statement may change to a plan for any values, which reads everything.
func (r Reader) lists() dbsqlc.DBTX {
	if _, inTx := r.handle.(*pipe); inTx {
		return r.handle
	}
	return planned{r.handle}
}

// planned has each of its queries planned with its parameters.
type planned struct{ dbsqlc.DBTX }

func (p planned) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return p.DBTX.Query(ctx, sql, append([]any{pgx.QueryExecModeCacheDescribe}, args...)...)
}

// cut makes a page of what was read.
func cut[R, T any](p Page, rows []R, from func(R) T) (items []T, hasMore bool) {
	if hasMore = len(rows) > p.limit(); hasMore {
		rows = rows[:p.limit()]
	}
	items = make([]T, 0, len(rows))
	for _, row := range rows {
		items = append(items, from(row))
	}
	if p.forward() {
		slices.Reverse(items)
	}
	return items, hasMore
}
