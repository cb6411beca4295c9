package service

import (
	"context"
	"time"

	"perennial/billing/customer"
	"perennial/db"
)

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
