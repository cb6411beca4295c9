package clocks

import (
	"context"
	"time"

	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/billing/testclock"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreateTestClock creates a clock, whose time changes only when it is advanced; at zero: the real time. Faults:
// test_mode_only, those of the name. Times are whole seconds, as the API shows them: an advance to a shown time must
// arrive.
func (s *Service) CreateTestClock(
	ctx context.Context, by usecase.Caller, name string, at time.Time, also usecase.Also[testclock.Clock],
) (testclock.Clock, error) {
	if err := by.TestModeOnly(""); err != nil {
		return testclock.Clock{}, err
	}
	if err := text.Check("name", name); err != nil {
		return testclock.Clock{}, err
	}
	now := s.Now()
	clock := testclock.Clock{
		ID: id.New(id.TestClock, now), Name: name, Status: testclock.Ready, NowAt: now.Truncate(time.Second), Revision: 1,
		CreatedAt: now,
	}
	if !at.IsZero() {
		clock.NowAt = at
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (testclock.Clock, error) {
		return clock, tx.Clocks.Insert(ctx, by.EnvironmentID, clock)
	})
}

// AdvanceTestClock begins to move a clock. Its workflow, signaled after the commit, moves it. Faults: those of
// AdvanceClock.
func (s *Service) AdvanceTestClock(
	ctx context.Context, by usecase.Caller, clockID string, to time.Time, around usecase.Around[testclock.Clock],
) error {
	if err := by.TestModeOnly(""); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (testclock.Clock, error) {
		return AdvanceClock(ctx, tx, by.EnvironmentID, clockID, to)
	})
}

// StopTestClock ends an advance where the clock stands. Its workflow makes it ready. Fault: test_clock_not_found.
func (s *Service) StopTestClock(
	ctx context.Context, by usecase.Caller, clockID string, around usecase.Around[testclock.Clock],
) error {
	if err := by.TestModeOnly(""); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (testclock.Clock, error) {
		clock, err := tx.Clocks.Lock(ctx, by.EnvironmentID, clockID)
		if err != nil || clock.Status != testclock.Advancing {
			return clock, err
		}
		was := clock
		clock = clock.Stop()
		type shown struct{ Target time.Time } // as the API names it
		usecase.AuditDiffering(tx, "test_clock", shown{was.TargetAt}, shown{clock.TargetAt})
		tx.AfterCommit(db.AdvanceTestClock{EnvironmentID: by.EnvironmentID, ID: clockID}) // also one that was lost on the way
		return clock, tx.Clocks.Save(ctx, by.EnvironmentID, clock)
	})
}

// DeleteTestClock deletes a clock, which ends an advance at once, and its customers with it: a workflow, started after
// the commit, deletes one after the other. Fault: test_clock_not_found.
func (s *Service) DeleteTestClock(
	ctx context.Context, by usecase.Caller, clockID string, around usecase.Around[testclock.Clock],
) error {
	if err := by.TestModeOnly(""); err != nil {
		return err
	}
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (testclock.Clock, error) {
		clock, err := tx.Clocks.Lock(ctx, by.EnvironmentID, clockID)
		if err != nil {
			return clock, err
		}
		clock = clock.Delete(tx.Real)
		tx.AuditAlso(usecase.Deleted)
		if err := tx.Clocks.Save(ctx, by.EnvironmentID, clock); err != nil {
			return clock, err
		}
		e := erasure.OfTestClock(id.New(id.Erasure, tx.Real), clockID, tx.Real)
		if err := tx.Customers.BeginErasure(ctx, by.EnvironmentID, e); err != nil {
			return clock, err
		}
		return clock, tx.Emit(ctx, by.EnvironmentID, event.New(event.TestClockDeleted{ID: clockID}, clock.NowAt))
	})
}

// AdvanceClock begins to move a test clock, in the caller's transaction.
// Faults: test_clock_not_found, those of testclock.Advance.
func AdvanceClock(
	ctx context.Context, tx *db.Tx, environmentID, clockID string, to time.Time,
) (testclock.Clock, error) {
	clock, err := tx.Clocks.Lock(ctx, environmentID, clockID)
	if err != nil {
		return clock, err
	}
	if clock, err = clock.Advance(to); err != nil {
		return clock, err
	}
	tx.AfterCommit(db.AdvanceTestClock{EnvironmentID: environmentID, ID: clockID})
	return clock, tx.Clocks.Save(ctx, environmentID, clock)
}
