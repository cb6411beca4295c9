package service

import (
	"context"
	"time"

	"perennial/billing/testclock"
	"perennial/db"
)

// AdvanceClock begins to move a test clock, in the caller's transaction. After the commit its workflow is to be told.
// Faults: test_clock_not_found, those of testclock.Advance.
func AdvanceClock(ctx context.Context, tx *db.Tx, environmentID, clockID string, to time.Time) (testclock.Clock, error) {
	clock, err := tx.LockTestClock(ctx, environmentID, clockID)
	if err != nil {
		return clock, err
	}
	if clock, err = clock.Advance(to); err != nil {
		return clock, err
	}
	return clock, tx.SaveTestClock(ctx, environmentID, clock)
}
