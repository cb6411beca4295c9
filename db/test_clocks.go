package db

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/testclock"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// TestClock reads one, also a deleted one. Fault: test_clock_not_found.
func (r Reader) TestClock(ctx context.Context, environmentID, id string) (testclock.Clock, error) {
	row, err := queries.TestClockGet(ctx, r.handle, dbsqlc.TestClockGetParams{EnvironmentID: environmentID, ID: id})
	return testClockFromDB(row.TestClock), readError("test_clock", err)
}

// TestClockWithKey reads key and clock, also a deleted one, in one round trip. Faults: api_key_unknown;
// test_clock_not_found, with the key.
func (r Reader) TestClockWithKey(ctx context.Context, hash []byte, id string) (APIKey, testclock.Clock, error) {
	row, err := queries.TestClockGetWithKey(ctx, r.handle, dbsqlc.TestClockGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.withoutResource(ctx, hash, "test_clock", err)
		return key, testclock.Clock{}, err
	}
	return apiKeyFromDB(row.ApiKeyDetail), testClockFromDB(row.TestClock), nil
}

// TestClocks lists an environment's, without the deleted ones.
func (r Reader) TestClocks(
	ctx context.Context, environmentID string, page Page,
) (clocks []testclock.Clock, hasMore bool, err error) {
	span, err := r.bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := queries.TestClockList(ctx, r.lists(), dbsqlc.TestClockListParams{
		EnvironmentID: environmentID,
		Below:         span.below, Above: span.above, Forward: page.forward(), RowLimit: page.rowLimit(),
	})
	if err != nil {
		return nil, false, translate("TestClockList", err)
	}
	clocks, hasMore = cut(page, rows, func(row dbsqlc.TestClockListRow) testclock.Clock {
		return testClockFromDB(row.TestClock)
	})
	return clocks, hasMore, nil
}

// NextDueOnClock is when the next subscription on the clock has something to do; false: none waits for a time.
func (r Reader) NextDueOnClock(ctx context.Context, environmentID, clockID string) (time.Time, bool, error) {
	due, err := queries.TestClockNextDue(ctx, r.handle, dbsqlc.TestClockNextDueParams{
		EnvironmentID: environmentID, TestClockID: &clockID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return due, err == nil, translate("TestClockNextDue", err)
}

// DueOnClock lists the next hundred subscriptions on the clock that have something to do by then, in due order.
func (r Reader) DueOnClock(ctx context.Context, environmentID, clockID string, at time.Time) ([]string, error) {
	ids, err := queries.TestClockListDue(ctx, r.handle, dbsqlc.TestClockListDueParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueAt: &at,
	})
	return ids, translate("TestClockListDue", err)
}

// PendingOnClock lists undecided transactions of the clock's customers, a hundred at most: they hold the clock.
func (r Reader) PendingOnClock(ctx context.Context, environmentID, clockID string) ([]string, error) {
	ids, err := queries.TestClockListPending(ctx, r.handle, dbsqlc.TestClockListPendingParams{
		EnvironmentID: environmentID, TestClockID: &clockID,
	})
	return ids, translate("TestClockListPending", err)
}

// LockTestClock reads one that nobody else may move until the transaction ends.
// Fault: test_clock_not_found, also for a deleted one.
func (tx *Tx) LockTestClock(ctx context.Context, environmentID, id string) (testclock.Clock, error) {
	row, err := queries.TestClockLock(ctx, tx.pipe, dbsqlc.TestClockLockParams{EnvironmentID: environmentID, ID: id})
	return testClockFromDB(row.TestClock), readError("test_clock", err)
}

// InsertTestClock writes one.
func (tx *Tx) InsertTestClock(ctx context.Context, environmentID string, c testclock.Clock) error {
	row := testClockRow(environmentID, c)
	return rows.TestClockInsert.Exec(ctx, tx.pipe, &row)
}

// SaveTestClock writes what may change. Fault: test_clock_changed, when it is not of the revision read.
func (tx *Tx) SaveTestClock(ctx context.Context, environmentID string, c testclock.Clock) error {
	row := testClockRow(environmentID, c)
	return rows.TestClockUpdate.Exec(ctx, tx.pipe.orElse(changed("test_clock")), &row)
}

func testClockRow(environmentID string, c testclock.Clock) dbsqlc.TestClock {
	return dbsqlc.TestClock{
		ID: c.ID, EnvironmentID: environmentID, Name: c.Name, Status: c.Status, NowAt: c.NowAt, TargetAt: nullTime(c.TargetAt),
		BlockedBy: presentList(c.BlockedBy), DeletedAt: nullTime(c.DeletedAt), Revision: c.Revision, CreatedAt: c.CreatedAt,
	}
}

func testClockFromDB(row dbsqlc.TestClock) testclock.Clock {
	return testclock.Clock{
		ID: row.ID, Name: row.Name, Status: row.Status, NowAt: row.NowAt, TargetAt: value(row.TargetAt),
		BlockedBy: row.BlockedBy, DeletedAt: value(row.DeletedAt), Revision: row.Revision, CreatedAt: row.CreatedAt,
	}
}
