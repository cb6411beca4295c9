package clocks

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"perennial/billing/testclock"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// Get reads one, also a deleted one. Fault: test_clock_not_found.
func (r Reader) Get(ctx context.Context, environmentID, id string) (testclock.Clock, error) {
	row, err := core.Queries.TestClockGet(ctx, r.Handle, dbsqlc.TestClockGetParams{EnvironmentID: environmentID, ID: id})
	return TestClockFromDB(row.TestClock), core.ReadError("test_clock", err)
}

// GetWithKey reads key and clock, also a deleted one, in one round trip. Faults: api_key_unknown;
// test_clock_not_found, with the key.
func (r Reader) GetWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, testclock.Clock, error) {
	row, err := core.Queries.TestClockGetWithKey(ctx, r.Handle, dbsqlc.TestClockGetWithKeyParams{Hash: hash, ID: id})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "test_clock", err)
		return key, testclock.Clock{}, err
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), TestClockFromDB(row.TestClock), nil
}

// List lists an environment's, without the deleted ones.
func (r Reader) List(
	ctx context.Context, environmentID string, page core.Page,
) (clocks []testclock.Clock, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.TestClockList(ctx, r.Lists(), dbsqlc.TestClockListParams{
		EnvironmentID: environmentID,
		Below:         span.Below, Above: span.Above, Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("TestClockList", err)
	}
	clocks, hasMore = core.Cut(page, rows, func(row dbsqlc.TestClockListRow) testclock.Clock {
		return TestClockFromDB(row.TestClock)
	})
	return clocks, hasMore, nil
}

// NextDue returns the time at which the next subscription on the clock has something to do; false: none waits for a
// time.
func (r Reader) NextDue(ctx context.Context, environmentID, clockID string) (time.Time, bool, error) {
	due, err := core.Queries.TestClockNextDue(ctx, r.Handle, dbsqlc.TestClockNextDueParams{
		EnvironmentID: environmentID, TestClockID: &clockID,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, false, nil
	}
	return due, err == nil, core.Translate("TestClockNextDue", err)
}

// Due lists the next hundred subscriptions on the clock that have something to do by then, in due order.
func (r Reader) Due(ctx context.Context, environmentID, clockID string, at time.Time) ([]string, error) {
	ids, err := core.Queries.TestClockListDue(ctx, r.Handle, dbsqlc.TestClockListDueParams{
		EnvironmentID: environmentID, TestClockID: &clockID, DueAt: &at,
	})
	return ids, core.Translate("TestClockListDue", err)
}

// Pending lists undecided transactions of the clock's customers, a hundred at most: they hold the clock.
func (r Reader) Pending(ctx context.Context, environmentID, clockID string) ([]string, error) {
	ids, err := core.Queries.TestClockListPending(ctx, r.Handle, dbsqlc.TestClockListPendingParams{
		EnvironmentID: environmentID, TestClockID: &clockID,
	})
	return ids, core.Translate("TestClockListPending", err)
}

// Lock reads a test clock and locks it until this transaction ends. Fault: test_clock_not_found, also for a deleted
// one.
func (tx *Tx) Lock(ctx context.Context, environmentID, id string) (testclock.Clock, error) {
	row, err := core.Queries.TestClockLock(ctx, tx.Pipe, dbsqlc.TestClockLockParams{EnvironmentID: environmentID, ID: id})
	return TestClockFromDB(row.TestClock), core.ReadError("test_clock", err)
}

// Insert writes one.
func (tx *Tx) Insert(ctx context.Context, environmentID string, c testclock.Clock) error {
	row := testClockRow(environmentID, c)
	return rows.TestClockInsert.Exec(ctx, tx.Pipe, &row)
}

// Save writes the fields that may change. Fault: test_clock_changed, when it is not of the revision read.
func (tx *Tx) Save(ctx context.Context, environmentID string, c testclock.Clock) error {
	row := testClockRow(environmentID, c)
	return rows.TestClockUpdate.Exec(ctx, tx.Pipe.OrElse(core.Changed("test_clock")), &row)
}

func testClockRow(environmentID string, c testclock.Clock) dbsqlc.TestClock {
	return dbsqlc.TestClock{
		ID: c.ID, EnvironmentID: environmentID, Name: c.Name, Status: c.Status, NowAt: c.NowAt,
		TargetAt:  core.NullTime(c.TargetAt),
		BlockedBy: core.PresentList(c.BlockedBy), DeletedAt: core.NullTime(c.DeletedAt), Revision: c.Revision,
		CreatedAt: c.CreatedAt,
	}
}

// TestClockFromDB returns the test clock of a row.
func TestClockFromDB(row dbsqlc.TestClock) testclock.Clock {
	return testclock.Clock{
		ID: row.ID, Name: row.Name, Status: row.Status, NowAt: row.NowAt, TargetAt: core.Value(row.TargetAt),
		BlockedBy: row.BlockedBy, DeletedAt: core.Value(row.DeletedAt), Revision: row.Revision, CreatedAt: row.CreatedAt,
	}
}
