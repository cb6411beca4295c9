package service

import (
	"context"
	"time"

	"perennial/db"
	"perennial/internal/id"
)

// CreateTestClock makes a clock that stands still until it is advanced; at zero: the real time.
func (s *Service) CreateTestClock(
	ctx context.Context, by Caller, name string, at time.Time, also Also[db.TestClock],
) (db.TestClock, error) {
	if err := by.TestModeOnly(""); err != nil {
		return db.TestClock{}, err
	}
	now := s.now()
	clock := db.TestClock{
		ID: id.New(id.TestClock, now), Name: name, Status: db.ClockReady, NowAt: now.Truncate(time.Second), Revision: 1,
		CreatedAt: now,
	}
	if !at.IsZero() {
		clock.NowAt = at
	}
	return transact(ctx, s, by, also, func(tx *db.Tx) (db.TestClock, error) {
		return clock, tx.InsertTestClock(ctx, by.EnvironmentID, clock)
	})
}
