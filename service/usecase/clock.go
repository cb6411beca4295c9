package usecase

import (
	"context"
	"errors"
	"time"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/lifecycle"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/id"
)

var (
	// ErrTestModeOnly refuses test clocks in live environments.
	ErrTestModeOnly = fault.New(fault.Invalid, "test_mode_only",
		"Test clocks exist only in test environments. Use a test key.")
	errClockBusy = fault.New(fault.Conflict, "test_clock_advancing",
		"The test clock is advancing. Repeat the request when the clock is ready.").After(time.Second)
)

// LockClock returns the customer's time for something that begins now; wall is the real time. On a test clock the row
// stays locked until the transaction ends, so that the clock cannot advance past what begins.
func LockClock(
	ctx context.Context, tx *db.Tx, environmentID, clockID string, wall time.Time,
) (time.Time, error) {
	if clockID == "" {
		return wall, nil
	}
	if !id.Is(id.TestClock, clockID) {
		return time.Time{}, db.ErrTestClockNotFound
	}
	clock, err := tx.Clocks.Lock(ctx, environmentID, clockID)
	if err != nil {
		return time.Time{}, err
	}
	if clock.Status != testclock.Ready {
		return time.Time{}, errClockBusy
	}
	return clock.NowAt, nil
}

// StateOf returns the State of a customer without a subscription; now is the customer's time.
func StateOf(c customer.Customer, now time.Time) lifecycle.State {
	s := lifecycle.State{Customer: c}
	if c.TestClockID != "" {
		s.ClockNow = now
	}
	return s
}

// LockClockOf is LockClock for something of a customer. A customer whose clock is deleted is gone with it, also before
// the erasure comes to the row. Faults: customer_not_found, test_clock_advancing.
func LockClockOf(
	ctx context.Context, tx *db.Tx, environmentID string, c customer.Customer, wall time.Time,
) (time.Time, error) {
	now, err := LockClock(ctx, tx, environmentID, c.TestClockID, wall)
	if errors.Is(err, db.ErrTestClockNotFound) {
		err = db.ErrCustomerNotFound.In("customerId")
	}
	return now, err
}

// CustomerNow is the customer's time for a fact that delays no clock.
func CustomerNow(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, now time.Time,
) (time.Time, error) {
	if c.TestClockID == "" {
		return now, nil
	}
	clock, err := r.Clocks.Get(ctx, environmentID, c.TestClockID)
	return clock.NowAt, err
}
