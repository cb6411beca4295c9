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
	return c, inParam(notErased(c, err), "customerId")
}

// lockCustomer locks one who is not erased. Fault: customer_not_found.
func lockCustomer(ctx context.Context, tx *db.Tx, environmentID, customerID string) (customer.Customer, error) {
	c, err := tx.LockCustomer(ctx, environmentID, customerID)
	return c, notErased(c, err)
}

// notErased is err, or that the customer found is gone: the row of an erased one stays.
func notErased(c customer.Customer, err error) error {
	if err == nil && !c.ErasedAt.IsZero() {
		return db.ErrCustomerNotFound
	}
	return err
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
