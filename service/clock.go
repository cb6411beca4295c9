package service

import (
	"context"
	"errors"
	"time"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
)

var (
	// ErrTestModeOnly refuses test clocks in live environments.
	ErrTestModeOnly = fault.New(fault.Invalid, "test_mode_only",
		"Test clocks exist only in test environments. Use a test key.")
	errClockBusy = fault.New(fault.Conflict, "test_clock_advancing",
		"The test clock is advancing. Repeat the request when the clock is ready.").After(time.Second)
)

// TestModeOnly refuses a caller in a live environment what only test environments have.
func (by Caller) TestModeOnly(param string) error {
	if by.Mode != apikey.Test {
		return ErrTestModeOnly.In(param)
	}
	return nil
}

// lockClock is the customer's time for something that begins now. On a test clock the row stays locked until the
// transaction ends, so that the clock cannot advance past what begins.
func (s *Service) lockClock(ctx context.Context, tx *db.Tx, environmentID, clockID string) (time.Time, error) {
	if clockID == "" {
		return s.now(), nil
	}
	if !id.Is(id.TestClock, clockID) {
		return time.Time{}, db.ErrTestClockNotFound
	}
	clock, err := tx.LockTestClock(ctx, environmentID, clockID)
	if err != nil {
		return time.Time{}, err
	}
	if clock.Status != testclock.Ready {
		return time.Time{}, errClockBusy
	}
	return clock.NowAt, nil
}

// lockClockOf is lockClock for something of a customer. A customer whose clock is deleted is gone with it, also before
// the erasure comes to the row. Faults: customer_not_found, test_clock_advancing.
func (s *Service) lockClockOf(
	ctx context.Context, tx *db.Tx, environmentID string, c customer.Customer,
) (time.Time, error) {
	now, err := s.lockClock(ctx, tx, environmentID, c.TestClockID)
	if errors.Is(err, db.ErrTestClockNotFound) {
		err = db.ErrCustomerNotFound.In("customerId")
	}
	return now, err
}

// customerNow is the customer's time for a fact that delays no clock.
func customerNow(
	ctx context.Context, r db.Reader, environmentID string, c customer.Customer, now time.Time,
) (time.Time, error) {
	if c.TestClockID == "" {
		return now, nil
	}
	clock, err := r.TestClock(ctx, environmentID, c.TestClockID)
	return clock.NowAt, err
}
