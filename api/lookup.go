package api

import (
	"context"
	"time"

	"perennial/api/httpkit"
	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/id"
)

var (
	errTestModeOnly = fault.New(fault.Invalid, "test_mode_only", "test clocks exist in test environments only; use a test key")
	errClockBusy    = fault.New(fault.Conflict, "test_clock_advancing",
		"the test clock is advancing; repeat when it is ready").After(time.Second)
)

// payer is the customer that a body names.
func (s *Server) payer(ctx context.Context, c *httpkit.Call, customerID string) (customer.Customer, error) {
	if !id.Is(id.Customer, customerID) {
		return customer.Customer{}, inParam(httpkit.NotFound(db.ErrCustomerNotFound), "customerId")
	}
	cust, err := s.store.Customer(ctx, c.EnvironmentID, customerID)
	if err == nil && !cust.ErasedAt.IsZero() {
		err = httpkit.NotFound(db.ErrCustomerNotFound)
	}
	return cust, inParam(err, "customerId")
}

// planOf is the plan that a body names.
func (s *Server) planOf(ctx context.Context, c *httpkit.Call, planID string) (plan.Plan, error) {
	if !id.Is(id.Plan, planID) {
		return plan.Plan{}, inParam(httpkit.NotFound(db.ErrPlanNotFound), "planId")
	}
	p, err := s.store.Plan(ctx, c.EnvironmentID, planID)
	return p, inParam(err, "planId")
}

// inParam makes "not found" name the field of the body that referred to it.
func inParam(err error, param string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound {
		return fault.New(fault.NotFound, f.Code, "there is no such resource in this environment; check the id and the API key").In(param)
	}
	return err
}

// lockClock is the customer's time for something that begins now. On a test clock the row stays locked until the
// transaction ends, so that the clock cannot advance past what begins.
func (s *Server) lockClock(ctx context.Context, tx *db.Tx, environmentID, clockID string) (time.Time, error) {
	if clockID == "" {
		return s.now(), nil
	}
	if !id.Is(id.TestClock, clockID) {
		return time.Time{}, httpkit.NotFound(db.ErrTestClockNotFound)
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

// customerNow is the customer's time for a fact that delays no clock.
func customerNow(ctx context.Context, r db.Reader, environmentID string, cust customer.Customer, now time.Time) (time.Time, error) {
	if cust.TestClockID == "" {
		return now, nil
	}
	clock, err := r.TestClock(ctx, environmentID, cust.TestClockID)
	return clock.NowAt, err
}

func testModeOnly(c *httpkit.Call, param string) error {
	if c.Mode != apikey.Test {
		return errTestModeOnly.In(param)
	}
	return nil
}
