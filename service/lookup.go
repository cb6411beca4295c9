package service

import (
	"context"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/internal/id"
)

// payer is the customer that a request names.
func (s *Service) payer(ctx context.Context, by Caller, customerID string) (customer.Customer, error) {
	if !id.Is(id.Customer, customerID) {
		return customer.Customer{}, db.ErrCustomerNotFound.In("customerId")
	}
	c, err := s.store.Customer(ctx, by.EnvironmentID, customerID)
	if err == nil && !c.ErasedAt.IsZero() {
		err = db.ErrCustomerNotFound
	}
	return c, inParam(err, "customerId")
}

// Plan is the plan that a request names.
func (s *Service) Plan(ctx context.Context, by Caller, planID string) (plan.Plan, error) {
	if !id.Is(id.Plan, planID) {
		return plan.Plan{}, db.ErrPlanNotFound.In("planId")
	}
	p, err := s.store.Plan(ctx, by.EnvironmentID, planID)
	return p, inParam(err, "planId")
}

// inParam makes "not found" name the field that referred to it.
func inParam(err error, param string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound {
		return f.In(param)
	}
	return err
}
